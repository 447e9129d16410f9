import { isObject, type Json, type JsonObject } from '../../core/tool/json.ts'

/** JSON with sorted properties, so that the same input has the same text. Unlike RFC 8785 it takes any text. */
export function canonicalText(input: JsonObject): string {
  return written(input)
}

function written(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => (value[name] === undefined ? [] : [`${JSON.stringify(name)}:${written(value[name])}`]))
  return `{${members.join(',')}}`
}
