import { tags as tagsReader } from '../../core/tool/definition-fields.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { check, optional } from '../../core/tool/json-reader.ts'

const TAGS = optional(tagsReader, [])

/** The tags in a tool's metadata; undefined when what stands there are none. */
export function tagsOf({ tags }: JsonObject): readonly string[] | undefined {
  const read = check(TAGS, tags)
  return read.ok ? read.value : undefined
}
