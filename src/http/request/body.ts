import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type RequestBudget, textUnits } from '../../core/tool/budget.ts'
import { type Json, parseShortJson } from '../../core/tool/json.ts'
import { parseInSlices, type JsonParseResult, type JsonLimits } from '../../core/tool/json-text.ts'
import { openReader, readToLimit } from '../../outbound/read-to-limit.ts'
import { SMALL } from '../../outbound/memory-budget.ts'
import { utf8Text } from '../../outbound/utf8.ts'
import { LEAST_BYTES_A_MS, PATIENCE_MS, watchTransfer } from '../../outbound/watch-transfer.ts'
import { type BodyMemory, FULL } from './request-memory.ts'

const encoder = new TextEncoder()

const NOT_UTF8 = fail({ type: 'request-malformed', message: 'Cannot read the body: invalid UTF-8' })
const BODY_ABORTED = fail({ type: 'request-malformed', message: 'Cannot read the body: it broke off' })
const LATE = fail({ type: 'body-timed-out' })

export interface JsonBodyOptions extends JsonLimits {
  /** In bytes. */
  readonly limit: number
  readonly meter: RequestBudget
  readonly memory: BodyMemory
}

/**
 * RFC 8259. A last character that lacks a byte may be read as U+FFFD, as Fetch reads it. Failures quote nothing of the body.
 * A call's small body comes with its length: making no ArrayBuffer of it saves a tenth of the call.
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<Result<Json>> {
  const { limit, meter, memory, ...rules } = options
  const { headers } = request
  const type = headers.get('content-type')
  if (!isJson(type)) return fail({ type: 'media-type-unsupported', got: type, wanted: 'application/json' })
  const length = contentLength(headers)
  if (length === undefined || length > SMALL) {
    const bytes = await readUpTo(request, limit, memory)
    if (!bytes.ok) return bytes
    const text = utf8Text(bytes.value)
    return text === undefined ? notUtf8(request) : readJsonText(text, meter, rules)
  }
  if (length > limit) return tooLarge(limit, length)
  let text: string | FailureResult
  try {
    text = await waitForBody(request.text(), length)
  } catch {
    return BODY_ABORTED
  }
  if (typeof text !== 'string') return text
  if (text.length > limit) return tooLarge(limit)
  // Malformed bytes became U+FFFD, which has three bytes, so the text is longer than the body
  if (text.includes('\uFFFD') && encoder.encode(text).byteLength !== length) return notUtf8(request)
  return readJsonText(text, meter, rules)
}

function notUtf8(request: Request): FailureResult {
  return findEncoding(request, 'application/json') ?? NOT_UTF8
}

/** RFC 9110, section 15.5.16. JSON is looked at only where it is no UTF-8, as nothing compressed is. */
function findEncoding({ headers }: Pick<Request, 'headers'>, mediaType: string): FailureResult | undefined {
  const encoding = headers.get('content-encoding')
  if (!encoding || encoding === 'identity') return undefined
  const got = `${mediaType} in ${encoding}`
  return fail({ type: 'media-type-unsupported', got, wanted: `${mediaType} without Content-Encoding`, isEncoded: true })
}

/** Fails where work on a body of so many bytes takes longer than the slowest sender may. */
export function waitForBody<T>(work: Promise<T>, bytes: number): Promise<T | FailureResult> {
  return new Promise((done, reject) => {
    const timer = setTimeout(() => done(LATE), PATIENCE_MS + bytes / LEAST_BYTES_A_MS)
    work.then(done, reject).finally(() => clearTimeout(timer))
  })
}

export function yieldToEventLoop(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0))
}

/** Lets others in between the slices of a long text. */
export function readJsonText(
  text: string,
  meter: RequestBudget,
  rules: JsonLimits = {},
): Result<Json> | Promise<Result<Json>> {
  const short = parseShortJson(text)
  if (short) return short
  const reading = parseInSlices(text, meter, { what: 'the body', ...rules })
  const first = reading.next()
  return first.done === true ? toResult(first.value) : readOn(reading)
}

async function readOn(reading: ReturnType<typeof parseInSlices>): Promise<Result<Json>> {
  for (;;) {
    await yieldToEventLoop()
    const { done, value } = reading.next()
    if (done === true) return toResult(value)
  }
}

function toResult(read: JsonParseResult): Result<Json> {
  return read.ok ? read : fail({ type: 'request-malformed', message: read.message })
}

interface BytesOptions {
  readonly mediaType: string
  /** In bytes. */
  readonly limit: number
  readonly memory: BodyMemory
}

export async function readBytes(request: Request, options: BytesOptions): ReturnType<typeof readUpTo> {
  const { mediaType, limit, memory } = options
  const got = request.headers.get('content-type')
  if (got?.split(';')[0]?.trim().toLowerCase() === mediaType)
    return findEncoding(request, mediaType) ?? readUpTo(request, limit, memory)
  return fail({ type: 'media-type-unsupported', got, wanted: mediaType })
}

/** More than any page has, as a schema has 2,000 parts at most. Each takes many times its bytes. */
const MAX_FIELDS = 5_000

export async function readForm(request: Request, options: JsonBodyOptions): Promise<Result<URLSearchParams>> {
  const { limit, meter, memory } = options
  const bytes = await readBytes(request, { mediaType: 'application/x-www-form-urlencoded', limit, memory })
  if (!bytes.ok) return bytes
  // Malformed bytes become U+FFFD, as in browsers: no known field has such a name or value
  const text = new TextDecoder().decode(bytes.value)
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1
  meter.spend(fields + textUnits(text))
  if (fields > MAX_FIELDS) return tooLarge(limit)
  const form = new URLSearchParams(text)
  // A form of megabytes takes as long again to read and to send on
  await yieldToEventLoop()
  return ok(form)
}

async function readUpTo({ headers, body }: Request, limit: number, memory: BodyMemory) {
  const length = contentLength(headers)
  if (length !== undefined && length > limit) return tooLarge(limit, length)
  let received = 0
  let failing = BODY_ABORTED
  const ended = new AbortController()
  const end = (why: FailureResult) => {
    failing = why
    ended.abort()
  }
  const stopWatch = watchTransfer(
    () => received,
    () => end(LATE),
  )
  try {
    const { bytes, isComplete: isWhole } = await readToLimit(body, limit, ended.signal, {
      onRead: (size) => void (received = size),
      grow: async (size) => (await memory.growBody(size)) || end(FULL),
    })
    if (!isWhole) return tooLarge(limit)
    return bytes.length <= SMALL || (await memory.growWholeBody(bytes.length)) ? ok(bytes) : FULL
  } catch {
    return failing
  } finally {
    stopWatch()
  }
}

interface RestBounds {
  readonly bytes: number
  readonly ms: number
}

/** A client that is answered while it sends may see a broken connection instead of the answer (RFC 9112, section 9.6). */
export async function drainBody({ headers, body }: Request, most?: RestBounds): Promise<void> {
  if (!body || body.locked || (most && (contentLength(headers) ?? 0) > most.bytes)) return
  const { read, cancel } = openReader(body)
  const late = most && setTimeout(() => void cancel().catch(() => undefined), most.ms)
  try {
    let left = most?.bytes ?? Infinity
    // One buffer for all, since V8 collects others late
    let buffer = new Uint8Array(SMALL)
    for (let part = await read(buffer); !part.done && left > 0; part = await read(buffer)) {
      left -= part.value.length
      if (part.value.buffer instanceof ArrayBuffer) buffer = new Uint8Array(part.value.buffer)
    }
  } catch {
    // The client went away
  } finally {
    if (late !== undefined) clearTimeout(late)
  }
}

export function contentLength(headers: Headers): number | undefined {
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

function tooLarge(limit: number, got?: number): FailureResult {
  return fail({ type: 'body-too-large', limit, ...(got === undefined ? {} : { got }) })
}
