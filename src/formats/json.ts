import { isObject, type JsonObject } from '../core/tool/json.ts'

/** Whether a value made of parts of a JSON document is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}
