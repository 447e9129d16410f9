import './big-integers.ts'

/** Numbers are doubles; an integer that a double would change is a bigint (`big-integers.ts`). */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export interface JsonValueResult {
  readonly ok: true
  readonly value: Json
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** For values that a JSON parser returned, or that consist of such values. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

export function isJson(value: unknown): value is Json {
  return value !== undefined
}

/** Checks for either representation of a JSON number. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

export function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value)
}

export function getJsonType(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A definition's schemas may nest 128 levels. */
export const MAX_DEPTH = 136
/** In characters: too short to exceed any limit of parts. */
const MAX_SHORT_CHARACTERS = 4_096
/** Without a match, a double can hold each number. The next character tells an exponent from a UUID. */
const MAYBE_TOO_LARGE = /\d[eE]\+?\d{3,}(?![^\s,\]}])|(?<![^\s:,[-])\d{16}/

export function mayHoldLargeNumbers(text: string): boolean {
  return MAYBE_TOO_LARGE.test(text)
}

/** Parses a short text that cannot exceed a limit, at a fraction of the cost. Most calls are such texts. */
export function parseShortJson(text: string): JsonValueResult | undefined {
  if (text.length > MAX_SHORT_CHARACTERS || text.includes('__proto__') || text.includes('\\u')) return undefined
  // Each level takes two characters
  if (text.length > 2 * MAX_DEPTH && text.split('{').length + text.split('[').length > MAX_DEPTH) return undefined
  if (mayHoldLargeNumbers(text)) return undefined
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Counts the bytes of a value as JSON in UTF-8, only until they exceed `maxBytes`. */
export function jsonSize(value: unknown, maxBytes: number): number {
  switch (typeof value) {
    case 'string':
      return textSize(value, maxBytes)
    case 'number':
    case 'bigint':
      return String(value).length
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      return value === null ? 4 : Array.isArray(value) ? listSize(value, maxBytes) : objectSize(value, maxBytes)
    default:
      return 4
  }
}

function listSize(list: readonly unknown[], maxBytes: number): number {
  let size = list.length === 0 ? 2 : 1
  for (const item of list) {
    size += jsonSize(item, maxBytes - size) + 1
    if (size > maxBytes) break
  }
  return size
}

function objectSize(object: object, maxBytes: number): number {
  let size = 1
  // Listing the entries of a large object takes three times as long
  for (const key in object) {
    const item: unknown = Reflect.get(object, key)
    if (item === undefined) continue
    size += textSize(key, maxBytes - size) + 2
    if (size <= maxBytes) size += jsonSize(item, maxBytes - size)
    if (size > maxBytes) return size
  }
  return size === 1 ? 2 : size
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Control characters with a two-character escape: backspace to carriage return, except the vertical tab. */
const isShort = (code: number) => code >= 0x08 && code <= 0x0d && code !== 0x0b

function textSize(text: string, maxBytes: number): number {
  let size = text.length + 2
  for (let at = 0; at < text.length && size <= maxBytes; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) {
      size += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
    } else if (code < 0x20) {
      size += isShort(code) ? 1 : 5
    } else if (code === QUOTE || code === BACKSLASH) {
      size += 1
    }
  }
  return size
}
