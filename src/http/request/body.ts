import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type Json, parseShortJson } from '../../core/tool/json.ts'
import { parseInSlices, type JsonParseResult, type JsonLimits } from '../../core/tool/json-text.ts'
import { yieldToEventLoop } from '../../outbound/event-loop.ts'
import { openReader, readToLimit } from '../../outbound/read-to-limit.ts'
import { SMALL } from '../../outbound/memory-budget.ts'
import { utf8Text } from '../../outbound/utf8.ts'
import { LEAST_BYTES_A_MS, PATIENCE_MS, watchTransfer } from '../../outbound/watch-transfer.ts'
import { type BodyMemory, MEMORY_FULL } from './request-memory.ts'

export { yieldToEventLoop }

const encoder = new TextEncoder()

const NOT_UTF8 = fail({ type: 'request-malformed', message: 'Cannot read the body: invalid UTF-8' })
const BODY_ABORTED = fail({ type: 'request-malformed', message: 'Cannot read the body: it broke off' })
const BODY_TIMED_OUT = fail({ type: 'body-timed-out' })

interface JsonBodyOptions extends JsonLimits {
  /** In bytes. */
  readonly limit: number
  readonly memory: BodyMemory
}

/**
 * RFC 8259. A truncated last character may be read as U+FFFD, as in Fetch. Failures do not quote the body. Small bodies with
 * a known length are read without an ArrayBuffer, which saves a tenth of a call's time.
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<Result<Json>> {
  const { limit, memory, ...jsonLimits } = options
  const { headers } = request
  const type = headers.get('content-type')
  if (!isJson(type))
    return fail({ type: 'media-type-unsupported', contentType: type, acceptedType: 'application/json' })
  const length = contentLength(headers)
  if (length === undefined || length > SMALL) {
    const bytes = await readUpTo(request, limit, memory)
    if (!bytes.ok) return bytes
    const text = utf8Text(bytes.value)
    return text === undefined ? notUtf8Failure(request) : readJsonText(text, jsonLimits)
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
  if (text.includes('\uFFFD') && encoder.encode(text).byteLength !== length) return notUtf8Failure(request)
  return readJsonText(text, jsonLimits)
}

function notUtf8Failure(request: Request): FailureResult {
  return findEncodingFailure(request, 'application/json') ?? NOT_UTF8
}

/** RFC 9110, section 15.5.16. For JSON, checked only if the body is not UTF-8, because compressed data never is. */
function findEncodingFailure({ headers }: Pick<Request, 'headers'>, mediaType: string): FailureResult | undefined {
  const encoding = headers.get('content-encoding')
  if (!encoding || encoding === 'identity') return undefined
  const contentType = `${mediaType} in ${encoding}`
  return fail({
    type: 'media-type-unsupported',
    contentType,
    acceptedType: `${mediaType} without Content-Encoding`,
    isEncoded: true,
  })
}

/** Fails if reading a body of `bytes` takes longer than the slowest client may take. */
export function waitForBody<T>(work: Promise<T>, bytes: number): Promise<T | FailureResult> {
  return new Promise((done, reject) => {
    const timer = setTimeout(() => done(BODY_TIMED_OUT), PATIENCE_MS + bytes / LEAST_BYTES_A_MS)
    work.then(done, reject).finally(() => clearTimeout(timer))
  })
}

/** Yields to the event loop between the slices of a long text. */
export function readJsonText(text: string, jsonLimits: JsonLimits = {}): Result<Json> | Promise<Result<Json>> {
  const short = parseShortJson(text)
  if (short) return short
  const slices = parseInSlices(text, { what: 'the body', ...jsonLimits })
  const firstSlice = slices.next()
  return firstSlice.done === true ? toResult(firstSlice.value) : readSlices(slices)
}

async function readSlices(slices: ReturnType<typeof parseInSlices>): Promise<Result<Json>> {
  for (;;) {
    await yieldToEventLoop()
    const { done, value } = slices.next()
    if (done === true) return toResult(value)
  }
}

function toResult(parseResult: JsonParseResult): Result<Json> {
  return parseResult.ok ? parseResult : fail({ type: 'request-malformed', message: parseResult.message })
}

interface BytesOptions {
  readonly mediaType: string
  /** In bytes. */
  readonly limit: number
  readonly memory: BodyMemory
}

export async function readBytes(request: Request, options: BytesOptions): ReturnType<typeof readUpTo> {
  const { mediaType, limit, memory } = options
  const contentType = request.headers.get('content-type')
  if (contentType?.split(';')[0]?.trim().toLowerCase() === mediaType)
    return findEncodingFailure(request, mediaType) ?? readUpTo(request, limit, memory)
  return fail({ type: 'media-type-unsupported', contentType, acceptedType: mediaType })
}

/** More than any page has, because a schema has at most 2,000 parts. In memory, a field takes many times its bytes. */
const MAX_FIELDS = 5_000

interface FormOptions extends JsonBodyOptions {
  /** Maximum bytes of a form with files (`multipart/form-data`). By default, such forms are refused. */
  readonly fileLimit?: number | undefined
}

export async function readForm(request: Request, options: FormOptions): Promise<Result<URLSearchParams>> {
  const { limit, memory, fileLimit } = options
  const type = request.headers.get('content-type') ?? ''
  if (fileLimit !== undefined && type.startsWith('multipart/form-data;')) {
    const bytes = await readUpTo(request, fileLimit, memory)
    if (!bytes.ok) return bytes
    const { parseFileForm } = await import('./file-form.ts')
    return parseFileForm(bytes.value, type, { limit: fileLimit, memory, maxFields: MAX_FIELDS })
  }
  const bytes = await readBytes(request, { mediaType: 'application/x-www-form-urlencoded', limit, memory })
  if (!bytes.ok) return bytes
  // Malformed bytes become U+FFFD, as in browsers: no known field has such a name or value
  const text = new TextDecoder().decode(bytes.value)
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1
  if (fields > MAX_FIELDS) return tooLarge(limit)
  const form = new URLSearchParams(text)
  // A form of megabytes takes as long again to read and to forward
  await yieldToEventLoop()
  return ok(form)
}

async function readUpTo({ headers, body }: Request, limit: number, memory: BodyMemory) {
  const length = contentLength(headers)
  if (length !== undefined && length > limit) return tooLarge(limit, length)
  let receivedBytes = 0
  let failure = BODY_ABORTED
  const abort = new AbortController()
  const abortWith = (reason: FailureResult) => {
    failure = reason
    abort.abort()
  }
  const stopWatch = watchTransfer(
    () => receivedBytes,
    () => abortWith(BODY_TIMED_OUT),
  )
  try {
    const { bytes, isComplete } = await readToLimit(body, limit, abort.signal, {
      onRead: (size) => void (receivedBytes = size),
      grow: async (size) => (await memory.growBody(size)) || abortWith(MEMORY_FULL),
    })
    if (!isComplete) return tooLarge(limit)
    return bytes.length <= SMALL || (await memory.growWholeBody(bytes.length)) ? ok(bytes) : MEMORY_FULL
  } catch {
    return failure
  } finally {
    stopWatch()
  }
}

interface DrainBounds {
  readonly bytes: number
  readonly ms: number
}

/** A client that is still sending may see a broken connection instead of the response (RFC 9112, section 9.6). */
export async function drainBody({ headers, body }: Request, bounds?: DrainBounds): Promise<void> {
  if (!body || body.locked || (bounds && (contentLength(headers) ?? 0) > bounds.bytes)) return
  const { read, cancel } = openReader(body)
  const timer = bounds && setTimeout(() => void cancel().catch(() => undefined), bounds.ms)
  try {
    let remainingBytes = bounds?.bytes ?? Infinity
    // Reuses one buffer for all chunks, because V8 collects unused ones late
    let buffer = new Uint8Array(SMALL)
    for (let chunk = await read(buffer); !chunk.done && remainingBytes > 0; chunk = await read(buffer)) {
      remainingBytes -= chunk.value.length
      if (chunk.value.buffer instanceof ArrayBuffer) buffer = new Uint8Array(chunk.value.buffer)
    }
  } catch {
    // The client went away
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

function contentLength(headers: Headers): number | undefined {
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

function tooLarge(limit: number, length?: number): FailureResult {
  return fail({ type: 'body-too-large', limit, ...(length === undefined ? {} : { size: length }) })
}
