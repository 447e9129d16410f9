import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { isLoopback } from '../../core/tool/loopback.ts'

export const WANTED_URL = 'it must be https, or http on a loopback host, without a user name or unseen characters'

const MAX_URL_CHARACTERS = 2_048
const MAX_DEPTH = 100
/** Control, reordering and zero-width characters, and blanks, which make a text look like another. */
const UNSEEN = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

/**
 * Every URL of another server must pass this check before a person sees it: https, or http on a loopback host, without
 * userinfo. Returns its normal form, whose host is ASCII.
 */
export function readPersonUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS || /[\s\p{C}]/u.test(value)) return undefined
  const url = URL.parse(value)
  if (!url || url.username + url.password !== '') return undefined
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) ? url.href : undefined
}

/** Removes characters that a person cannot see from a text of another server. */
export function toPersonText(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll(UNSEEN, '') : ''
}

/** Cleans a request to a person (MCP, "Elicitation") and names its server. Undefined if its URL may not be shown. */
export function readPersonRequest(params: JsonObject, host: string): JsonObject | undefined {
  const { mode, message, url } = params
  const safeUrl = readPersonUrl(url)
  if (safeUrl === undefined && (mode === 'url' || url !== undefined)) return undefined
  const messageField =
    message === undefined && safeUrl === undefined ? {} : { message: `${host} says: ${toPersonText(message)}` }
  return { ...toPersonObject(params, 0), ...messageField, ...(safeUrl === undefined ? {} : { url: safeUrl }) }
}

function toPersonObject(value: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPersonValue(each, depth + 1)]))
}

function toPersonValue(value: Json | undefined, depth: number): Json {
  if (typeof value === 'string') return toPersonText(value)
  if (value === undefined || depth > MAX_DEPTH) return null
  if (isJsonArray(value)) return value.map((each) => toPersonValue(each, depth + 1))
  return isJsonObject(value) ? toPersonObject(value, depth) : value
}
