import { isObject, type Json } from '../../core/tool/json.ts'

/** Sorted properties. Unlike RFC 8785 it takes any text. */
export function canonicalText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => (value[name] === undefined ? [] : [`${JSON.stringify(name)}:${canonicalText(value[name])}`]))
  return `{${members.join(',')}}`
}
