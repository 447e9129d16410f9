/**
 * Sends every request from this deployment to other servers. For each hop (the first and each redirect), in order:
 *
 * 1. The URL must be allowed (`allowed-url.ts`), and its host one of the tool's.
 * 2. `traffic-control.ts` must permit it; it refuses if the host is failing or busy. An import needs no permit.
 * 3. It is sent without following redirects, until the signal aborts.
 * 4. A response that cannot be read whole is refused (`response-rules.ts`). A redirect becomes the next hop. Once it leaves
 *    the origin, credential headers are dropped for all later hops, and a credential body is a failure.
 *
 * The last response is read up to a limit, in memory that is reserved as it arrives (`memory-budget.ts`).
 */
import type { FetchCapability } from '../core/access/principal.ts'
import { isObject } from '../core/tool/json.ts'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import { createUrlCheck, formatAllowHint, isAllowedHost } from './allowed-url.ts'
import { partCounter } from './part-counter.ts'
import { type ReserveBytes, readToLimit, type ReadBytes } from './read-to-limit.ts'
import { decodedHeaders, isEncoded, findUnreadableReason } from './response-rules.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { isUnanswered } from './status.ts'
import { raceAbort } from './until-aborted.ts'
import { type RequestOutcome, type ToolInitiator, type TrafficControl, NO_PERMIT_NEEDED } from './traffic-control.ts'

export interface GuardedFetchOptions {
  readonly fetch: Fetch
  readonly allowHttpHosts: ReadonlySet<string>
  readonly maxResponseBytes?: number
  /** Maximum items and fields of JSON in a response, for callers that leave parsing to a library. */
  readonly maxParts?: number
  readonly traffic?: TrafficControl
  /** The memory budget for reading large responses to tools. */
  readonly memory?: Pick<MemoryBudget, 'reserve'>
}

type GuardedBody = string | Uint8Array<ArrayBuffer> | FormData

export interface GuardedRequest {
  readonly method: string
  readonly url: URL | string
  readonly headers: Headers
  readonly body?: GuardedBody | undefined
  readonly credentialHeaders: readonly string[]
  readonly credentialBody?: boolean
  readonly redirect?: 'follow' | 'manual'
  /** Whether the request may ask for part of a response. Only allowed if nothing in the response needs redaction. */
  readonly allowsPartial?: boolean
  readonly signal: Signal
  readonly initiator: ToolInitiator | FetchCapability
  /** Number of copies of the response in memory; by default three (`MEMORY_COPIES`). */
  readonly copies?: number
  /** Called once the body is no longer needed. */
  readonly onSent?: () => void
  /** Receives the function that releases the response's memory. By default, it is released once the response is read. */
  readonly deferRelease?: ((release: () => void) => void) | undefined
}

export interface GuardedResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly url: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** `failing`, `busy`: not sent. `broken`: the body cannot be decoded. */
export type GuardedFailureKind =
  'refused' | 'unreachable' | 'too-large' | 'too-many-redirects' | 'aborted' | 'broken' | 'failing' | 'busy'

/** Messages name only a URL's origin, because paths and queries may contain credentials. */
export interface GuardedFailure {
  readonly ok: false
  readonly kind: GuardedFailureKind
  readonly message: string
  readonly retryAfterMs?: number
  readonly remedy?: string | undefined
  /** The status of a response whose body could not be read. */
  readonly status?: number
}

/** Only for the deployment's own code and for publishers, because the remedy reveals how the deployment is configured. */
export function formatWithRemedy({ message, remedy }: GuardedFailure): string {
  return remedy === undefined ? message : `${message}. ${remedy}`
}

export type GuardedResult = { readonly ok: true; readonly response: GuardedResponse } | GuardedFailure

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResult>

export interface OpenedResponse {
  readonly ok: true
  readonly response: Response
  readonly url: URL
  readonly end: (outcome: RequestOutcome) => void
}

interface Hop {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: GuardedBody | undefined
}

const DEFAULT_MAX_RESPONSE_BYTES = 8 * 1024 * 1024
/** A response is in memory three times: as received chunks, joined, and as text. */
export const MEMORY_COPIES = 3
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const ALWAYS_CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization']
/** Headers that are dropped together with the body (Fetch Standard, "HTTP-redirect fetch"). */
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location']

export function isTool(initiator: GuardedRequest['initiator']): initiator is ToolInitiator {
  return 'toolkit' in initiator
}

/** Never rejects: failures are in the result. Ends when the signal aborts, even if `fetch` does not. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, maxParts, memory } = options
  const open = createGuardedOpen(options)
  return async (request) => {
    const { initiator, signal, deferRelease, copies = MEMORY_COPIES } = request
    const openResult = await open(request)
    request.onSent?.()
    // Imports reserve the memory of a response before requesting it
    const reservation = isTool(initiator) ? memory?.reserve(initiator.caller, () => signal.aborted) : undefined
    if (reservation) deferRelease?.(reservation.release)
    const read = openResult.ok
      ? await readResponse(
          openResult,
          maxResponseBytes,
          signal,
          // If there is no room, `grow` only delays reading
          reservation && ((bytes) => reservation.grow(copies * bytes)),
        )
      : openResult
    if (!deferRelease) reservation?.release()
    if (!read.ok) return openResult.ok ? { ...read, status: openResult.response.status } : read
    if (maxParts === undefined || partCounter()(read.response.body) <= maxParts) return read
    return unreadable('too-large', new URL(read.response.url), `it has more than ${maxParts} parts`)
  }
}

export function createGuardedOpen(
  options: GuardedFetchOptions,
): (request: GuardedRequest) => Promise<OpenedResponse | GuardedFailure> {
  // workerd's fetch cannot be called as a method of another object
  const { fetch, traffic } = options
  const findProblem = createUrlCheck(options.allowHttpHosts)

  return async (request) => {
    const { signal, initiator } = request
    const start = URL.parse(String(request.url))
    if (start === null) return failure('refused', 'Cannot request what is not an absolute URL')
    const allowsPartial = request.allowsPartial === true
    const headers = dropUnreadableHeaders(request.headers, allowsPartial)
    let hop: Hop = { method: request.method, url: start, headers, body: request.body }
    for (let redirects = 0; ; redirects++) {
      const { method, url, headers, body } = hop
      const reason = findProblem(url)
      if (reason !== undefined)
        return {
          ...failure('refused', `Cannot request "${formatOrigin(url)}": ${reason}`),
          remedy: formatAllowHint(url),
        }
      if (isTool(initiator) && initiator.hosts && !isAllowedHost(url, initiator.hosts))
        return failure('refused', `Cannot request "${formatOrigin(url)}": it is not one of the tool's hosts`)

      const permit = traffic && isTool(initiator) ? await traffic.admit(url.host, initiator) : NO_PERMIT_NEEDED
      if ('kind' in permit) {
        const { kind, reason: refusalReason, retryAfterMs } = permit
        return { ...failure(kind, `Cannot request "${formatOrigin(url)}" now: ${refusalReason}`), retryAfterMs }
      }
      const init = { method, headers, redirect: 'manual' as const, signal, ...(body === undefined ? {} : { body }) }
      const result = await raceAbort(() => fetch(url.href, init), signal)
      if (result.state !== 'done') {
        permit.end(result.state === 'failed' ? 'failure' : 'abandoned')
        return result.state === 'failed' ? failure('unreachable', `Cannot reach "${formatOrigin(url)}"`) : aborted(url)
      }
      const response = result.value
      // 502 and 504 mean that the server behind a gateway did not answer
      const end = (outcome: RequestOutcome) =>
        permit.end(outcome === 'success' && isUnanswered(response.status) ? 'gateway-error' : outcome)

      const isFollowed = request.redirect !== 'manual' && REDIRECTS.has(response.status)
      const location = isFollowed ? response.headers.get('location') : null
      const unreadableReason = findUnreadableReason(response, allowsPartial)
      if (location === null && unreadableReason === undefined) return { ok: true, response, url, end }
      // A stream that cannot be cancelled has already ended
      response.body?.cancel().catch(() => undefined)
      end('success')
      if (location === null) return { ...unreadable('refused', url, unreadableReason ?? ''), status: response.status }
      if (redirects === MAX_REDIRECTS)
        return failure(
          'too-many-redirects',
          `Cannot follow "${formatOrigin(url)}": more than ${MAX_REDIRECTS} redirects`,
        )
      const next = nextHop(hop, response.status, location, request)
      if ('ok' in next) return next
      hop = next
    }
  }
}

/** Removes headers that request unreadable responses. The platform adds the encodings that it supports. */
function dropUnreadableHeaders(headers: Headers, allowsPartial: boolean): Headers {
  const readable = new Headers(headers)
  readable.delete('accept-encoding')
  if (!allowsPartial) for (const name of ['range', 'if-range']) readable.delete(name)
  return readable
}

/** Builds the request for a redirect (Fetch Standard, "HTTP-redirect fetch"; RFC 9110 section 15.4). */
function nextHop(hop: Hop, status: number, location: string, request: GuardedRequest): Hop | GuardedFailure {
  if (!URL.canParse(location, hop.url.href))
    return failure('refused', `Cannot follow "${formatOrigin(hop.url)}": its Location is not a URL`)
  const url = new URL(location, hop.url)
  const headers = new Headers(hop.headers)
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  if (becomesGet) for (const name of BODY_HEADERS) headers.delete(name)
  const body = becomesGet ? undefined : hop.body

  if (url.origin !== hop.url.origin) {
    for (const name of [...ALWAYS_CREDENTIALS, ...request.credentialHeaders]) headers.delete(name)
    if (body !== undefined && request.credentialBody === true)
      return failure(
        'refused',
        `Cannot follow "${formatOrigin(hop.url)}": it would send credentials to "${formatOrigin(url)}"`,
      )
  }
  return { method: becomesGet ? 'GET' : hop.method, url, headers, body }
}

async function readResponse(
  { response, url, end }: OpenedResponse,
  maxBytes: number,
  signal: Signal,
  grow?: ReserveBytes,
): Promise<GuardedResult> {
  let read: ReadBytes
  try {
    read = await readToLimit(response.body, maxBytes, signal, { grow })
  } catch (error) {
    if (signal.aborted) {
      end('abandoned')
      return aborted(url)
    }
    return connectionFailure(response, url, error, end)
  }
  end('success')
  if (!read.isComplete) return unreadable('too-large', url, `it is over ${maxBytes} bytes`)
  const { status, statusText } = response
  const headers = decodedHeaders(response.headers)
  return { ok: true, response: { status, statusText, headers, url: url.href, body: read.bytes } }
}

function formatOrigin(url: URL): string {
  return `${url.protocol}//${url.host}`
}

/** Distinguishes a lost connection from a body that cannot be decoded, which a retry would not fix. */
export function connectionFailure(
  response: Response,
  url: URL,
  error: unknown,
  end: (outcome: RequestOutcome) => void,
): GuardedFailure {
  // workerd marks errors of lost connections as retryable
  const isBroken = isEncoded(response) && !(isObject(error) && error['retryable'] === true)
  end(isBroken ? 'success' : 'failure')
  return isBroken
    ? unreadable('broken', url, 'it is not in its content encoding')
    : failure('unreachable', `Lost "${formatOrigin(url)}" while it answered`)
}

export function unreadable(kind: GuardedFailureKind, url: URL, why: string): GuardedFailure {
  return failure(kind, `Cannot read the answer of "${formatOrigin(url)}": ${why}`)
}

export function aborted(url: URL): GuardedFailure {
  return failure('aborted', `Stopped waiting for "${formatOrigin(url)}": the call has ended`)
}

function failure(kind: GuardedFailureKind, message: string): GuardedFailure {
  return { ok: false, kind, message }
}
