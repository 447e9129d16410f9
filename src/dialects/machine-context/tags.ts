import { tags as tagsReader } from '../../core/tool/definition-fields.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { check, optional } from '../../core/tool/json-reader.ts'

const TAGS = optional(tagsReader, [])

/** Undefined when `tags` holds something else. */
export function tagsOf({ tags }: JsonObject): readonly string[] | undefined {
  const read = check(TAGS, tags)
  return read.ok ? read.value : undefined
}
