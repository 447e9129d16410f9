import type { JsonObject } from '../core/tool/json.ts'

/** JSON with its properties in order, so that the same input has the same text. Unlike RFC 8785 it takes any text. */
export function canonicalText(input: JsonObject): string {
  return JSON.stringify(input, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
