import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type Json, parseJson } from '../../core/tool/json.ts'
import { pointerStep } from '../../core/tool/problem.ts'
import { readToLimit } from '../../outbound/read-to-limit.ts'
import { utf8Text } from '../../outbound/utf8.ts'

/** A definition's schemas may have 128. */
export const MAX_DEPTH = 136
/** Without one of these no number is too large for a double. An exponent is told from a UUID by what ends a number. */
const MAYBE_TOO_LARGE = /\d[eE]\+?\d{3,}(?![^\s,\]}])|(?<!\d)\d{100}/

const encoder = new TextEncoder()

const NOT_UTF8 = fail({ type: 'request-malformed', message: 'Cannot read the body: invalid UTF-8' })
const BROKEN_OFF = fail({ type: 'request-malformed', message: 'Cannot read the body: it broke off' })

/**
 * RFC 8259. A last character that lacks a byte may be read as U+FFFD, as Fetch reads it. Failures quote nothing of the body.
 * A call's body comes with its length: making no ArrayBuffer of it saves a tenth of the call.
 */
export async function readJson(request: Request, limit: number): Promise<Result<Json>> {
  const { headers } = request
  const type = headers.get('content-type')
  if (!isJson(type)) return fail({ type: 'media-type-unsupported', got: type, wanted: 'application/json' })
  const length = lengthOf(headers)
  if (length === undefined) {
    const bytes = await readUpTo(request, limit)
    if (!bytes.ok) return bytes
    const text = utf8Text(bytes.value)
    return text === undefined ? NOT_UTF8 : readJsonText(text)
  }
  if (length > limit) return tooLarge(limit, length)
  let text: string
  try {
    text = await request.text()
  } catch {
    return BROKEN_OFF
  }
  if (text.length > limit) return tooLarge(limit)
  // Malformed bytes became U+FFFD, which has three bytes, so the text is longer than the body
  if (text.includes('\uFFFD') && encoder.encode(text).byteLength !== length) return NOT_UTF8
  return readJsonText(text)
}

/** Also refuses the key `__proto__`, which copying could take for the prototype, and numbers past doubles. */
export function readJsonText(text: string, depth = MAX_DEPTH): Result<Json> | Promise<Result<Json>> {
  // First, since finding a fault recurses once a level
  if (nestsTooDeep(text, depth)) {
    return malformed(`Cannot accept the body: it nests deeper than ${depth} levels`)
  }
  const value = parseJson(text)
  if (value === undefined) return unparsed(text)
  if (text.includes('__proto__') || text.includes('\\u')) {
    const pointer = pointerTo(value, namesPrototype)
    if (pointer !== undefined) return malformed(`Cannot accept the key '__proto__' at '${pointer}/__proto__'`)
  }
  if (MAYBE_TOO_LARGE.test(text)) {
    const pointer = pointerTo(value, isInfinite)
    if (pointer !== undefined) return malformed(`Cannot accept a number at '${pointer}': it is too large`)
  }
  return { ok: true, value }
}

async function unparsed(text: string): Promise<Failing> {
  const { faultOf } = await import('./json-fault.ts')
  return malformed(`Cannot parse the body as JSON: ${faultOf(text)}`)
}

function malformed(message: string): Failing {
  return fail({ type: 'request-malformed', message })
}

/** Counts brackets outside strings; on a text that is not JSON it may count wrongly, which does no harm. */
export function nestsTooDeep(text: string, limit = MAX_DEPTH): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
      if (index === -1) return false
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > limit) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--
    }
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
  } while (end !== -1 && isEscaped(text, end))
  return end
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (index - first) % 2 === 1
}

function pointerTo(value: unknown, refused: (value: unknown) => boolean, pointer = ''): string | undefined {
  if (refused(value)) return pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = pointerTo(child, refused, pointer + pointerStep(key))
    if (found !== undefined) return found
  }
  return undefined
}

function namesPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')
}

function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity
}

export async function readBytes(
  request: Request,
  mediaType: string,
  limit: number,
): Promise<Result<ArrayBuffer | Uint8Array>> {
  const got = request.headers.get('content-type')
  if (got?.split(';')[0]?.trim().toLowerCase() === mediaType) return readUpTo(request, limit)
  return fail({ type: 'media-type-unsupported', got, wanted: mediaType })
}

/** More than any page has, as a schema has 2,000 parts at most. Each takes many times its bytes. */
const MAX_FIELDS = 5_000
const AMPERSAND = 0x26

export async function readForm(request: Request, limit: number): Promise<Result<URLSearchParams>> {
  const bytes = await readBytes(request, 'application/x-www-form-urlencoded', limit)
  if (!bytes.ok) return bytes
  if (hasMoreThan(MAX_FIELDS - 1, AMPERSAND, new Uint8Array(bytes.value))) return tooLarge(limit)
  // Malformed bytes become U+FFFD, as in browsers: no known field has such a name or value
  return ok(new URLSearchParams(new TextDecoder().decode(bytes.value)))
}

function hasMoreThan(count: number, byte: number, bytes: Uint8Array): boolean {
  let left = count
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) if (left-- === 0) return true
  return false
}

async function readUpTo(request: Request, limit: number): Promise<Result<ArrayBuffer | Uint8Array>> {
  const length = lengthOf(request.headers)
  if (length !== undefined && length > limit) return tooLarge(limit, length)
  let bytes: ArrayBuffer | Uint8Array
  try {
    if (length !== undefined) {
      // The server holds a body to its length, so one of known length needs no counting
      bytes = await request.arrayBuffer()
    } else {
      const read = await readToLimit(request.body, limit)
      if (!read.isWhole) return tooLarge(limit)
      bytes = read.bytes
    }
  } catch {
    return BROKEN_OFF
  }
  return bytes.byteLength > limit ? tooLarge(limit) : ok(bytes)
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

function isJson(contentType: string | null): boolean {
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  if (!/^application\/(?:[a-z0-9!#$&^_.-]+\+)?json$/.test(type.trim().toLowerCase())) return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2)
    return name.trim().toLowerCase() !== 'charset' || /^(?:utf-8|"utf-8")$/i.test(value.trim())
  })
}

function tooLarge(limit: number, got?: number): Failing {
  return fail({ type: 'body-too-large', limit, ...(got === undefined ? {} : { got }) })
}
