export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** For values that came out of a JSON parser, or are made of parts that did. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

export function isJson(value: unknown): value is Json {
  return value !== undefined
}

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
