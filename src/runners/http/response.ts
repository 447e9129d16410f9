import { isObject } from '../../core/tool/json.ts'
import { pointerSteps } from '../../core/tool/problem.ts'
import type { RunResult } from '../../core/call/runner.ts'
import type { GuardedResponse } from '../../outbound/guarded-fetch.ts'
import { isTransient, retryAfterMs, statusWords } from '../../outbound/status.ts'
import type { HttpResponseMapping } from './implementation.ts'
import { redact } from '../../outbound/redaction.ts'
import type { BuiltRequest } from './request.ts'

/** The longest part of an error's body that is passed on, in characters. */
const EXCERPT = 1000

/**
 * Makes a tool's result of what a server answered: the value the mapping wants where the status is an expected one, else
 * a failure that says who answered what, without query, credentials or more than an excerpt of the body.
 * `now` is the time in milliseconds, for a `Retry-After` that is a date.
 */
export function readResponse(
  response: GuardedResponse,
  mapping: HttpResponseMapping,
  request: Pick<BuiltRequest, 'method' | 'shown' | 'sensitive'>,
  now: number,
): RunResult {
  const { status, body } = response
  const { shown } = request
  if (!isExpected(status, mapping)) return unexpected(response, request, now)
  switch (mapping.type === 'auto' ? typeOf(response) : mapping.type) {
    case 'none':
      return { ok: true, value: null }
    case 'text':
      return { ok: true, value: decode(response) }
    case 'binary': {
      const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
      return { ok: true, value: { content_type: contentType, data: encodeBase64(body) } }
    }
    case 'json': {
      const text = decode(response)
      if (text.trim() === '') return { ok: true, value: null }
      const document = parseJson(text)
      if (document === undefined) return failure(`${shown.host} answered what is not JSON`, response, request)
      const value = pick(document.value, mapping.pointer)
      if (value !== undefined) return { ok: true, value }
      return failure(`${shown.host} answered JSON that has nothing at "${mapping.pointer}"`, response, request)
    }
  }
}

/** What a body is by its content type; without one, text. */
function typeOf({ headers, body }: GuardedResponse): 'json' | 'text' | 'binary' {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (body.byteLength === 0 || /[/+]json$/.test(type)) return 'json'
  return type === '' || type.startsWith('text/') || /[/+]xml$/.test(type) ? 'text' : 'binary'
}

/** Whether the mapping counts a status as success. */
export function isExpected(status: number, { statuses }: HttpResponseMapping): boolean {
  return statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`)
}

function unexpected(
  response: GuardedResponse,
  request: Pick<BuiltRequest, 'method' | 'shown' | 'sensitive'>,
  now: number,
): RunResult {
  const { status, headers } = response
  const retryable = isTransient(status)
  const wait = retryable ? retryAfterMs(headers, now) : undefined
  const message = `${request.shown.host} answered ${statusWords(status)}`
  return failure(message, response, request, retryable, wait)
}

function failure(
  message: string,
  response: GuardedResponse,
  { method, shown, sensitive }: Pick<BuiltRequest, 'method' | 'shown' | 'sensitive'>,
  retryable = false,
  wait?: number,
): RunResult {
  // Redacted before it is cut, since half a secret would not be recognised.
  const body = redact(decode(response), sensitive).trim()
  const cut = body.length > EXCERPT ? `${body.slice(0, EXCERPT)}…` : body
  const answered = `${method} ${redact(shown.url, sensitive)} answered ${response.status}`
  return {
    ok: false,
    failure: {
      message: redact(message, sensitive),
      developer_message: cut === '' ? answered : `${answered}: ${cut}`,
      can_retry: retryable,
      ...(wait === undefined ? {} : { retry_after_ms: wait }),
    },
  }
}

/** The body as text, in the charset its content type names, or else in UTF-8; a byte order mark is dropped. */
function decode({ headers, body }: GuardedResponse): string {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'
  return decoder(charset).decode(body)
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The value at a JSON Pointer (RFC 6901 section 4), or undefined. */
function pick(document: unknown, pointer: string): unknown {
  let value = document
  for (const step of pointerSteps(pointer) ?? []) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}

function encodeBase64(bytes: Uint8Array): string {
  const chunks: string[] = []
  // In pieces: a call takes only so many arguments.
  for (let start = 0; start < bytes.length; start += 0x8000) {
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)))
  }
  return btoa(chunks.join(''))
}
