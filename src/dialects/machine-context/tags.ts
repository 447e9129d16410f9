import type { JsonObject } from '../../core/tool/json.ts'

/** The tags in a tool's metadata; undefined when what stands there are none. */
export function tagsOf({ tags }: JsonObject): readonly string[] | undefined {
  if (tags === undefined) return []
  return isTags(tags) ? tags : undefined
}

function isTags(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 32 && value.every(isTag)
}

function isTag(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 64
}
