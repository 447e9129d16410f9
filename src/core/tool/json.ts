/** Any JSON value, as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Whether `value` is an object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether `value`, which came out of a JSON parser or is made of parts that did, is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}

/** Whether `value`, which came out of a JSON parser or is made of parts that did, is an array. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Whether `value` is an array of nothing but strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** Whether a value read from what a JSON parser gave is JSON: it is, unless it is absent. */
export function isJson(value: unknown): value is Json {
  return value !== undefined
}

/** The JSON that a text is; undefined for a text that is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
