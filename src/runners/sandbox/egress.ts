/**
 * Sends one request of a sandbox. In this order:
 *
 * 1. The host must be one of the tool's, and the request plain HTTP.
 * 2. The body is read, up to a limit, into reserved memory.
 * 3. Headers of the connection are dropped. The tool's credentials are placed, each for its hosts only, and replace values
 *    that the sandbox wrote there.
 * 4. The guarded fetch sends it and follows no redirect: the sandbox follows it, and that request comes here again.
 * 5. Credentials are redacted in the response, whose memory stays reserved until the sandbox has read it.
 *
 * A refusal is a response with status 403 that contains no path or query.
 */
import { isAllowedHost } from '../../outbound/allowed-url.ts'
import { binaryText, fromBinaryString } from '../../outbound/base64.ts'
import { type GuardedFetch, type GuardedResponse, formatWithRemedy } from '../../outbound/guarded-fetch.ts'
import { readToLimit } from '../../outbound/read-to-limit.ts'
import { type Redact, createLazyRedact } from '../../outbound/redaction.ts'
import { allowsBody } from '../../outbound/response-rules.ts'
import { type MemoryBudget, type Reservation, SMALL } from '../../outbound/memory-budget.ts'
import { utf8Text } from '../../outbound/utf8.ts'
import { headerNameProblem } from '../shared/header-rules.ts'
import { encodeStrictly } from '../shared/url-template.ts'

const MAX_BODY = 8 * 1024 * 1024
const UNREAD_MS = 1_000

/** Never rejects. */
export async function handleEgress(
  request: Request,
  policy: EgressPolicy,
  guardedFetch: GuardedFetch,
  memory: Pick<MemoryBudget, 'reserve'>,
) {
  const url = new URL(request.url)
  const origin = `${url.protocol}//${url.host}`
  if (!isAllowedHost(url, policy.allowedHosts))
    return refusal(`Cannot request "${origin}": publish the tool with "${url.host}" in its allowed_hosts`)
  if (request.headers.has('upgrade')) return refusal(`Cannot request "${origin}": only HTTP leaves the sandbox`)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(policy.timeoutMs)])
  const reservation = memory.reserve(policy.caller, () => signal.aborted)
  const requestBody =
    request.body && (await readToLimit(request.body, MAX_BODY, signal, reservation).catch(reservation.release))
  if (requestBody !== null && !requestBody?.isComplete) {
    reservation.release()
    return refusal(`Cannot request "${origin}": the body is over ${MAX_BODY} bytes, or broke off`)
  }

  const headers = new Headers()
  for (const [name, value] of request.headers) if (headerNameProblem(name) === undefined) headers.append(name, value)
  for (const { hosts, in: place, name, text } of policy.credentials) {
    if (!isAllowedHost(url, hosts)) continue
    if (place === 'header') headers.set(name, text)
    else url.search = withParameter(url.search, name, text)
  }
  let release = (): void => undefined
  const result = await guardedFetch({
    method: request.method,
    url,
    headers,
    body: requestBody?.bytes,
    credentialHeaders: [],
    redirect: 'manual',
    allowsPartial: policy.sensitive.length === 0,
    signal,
    initiator: { toolkit: policy.toolkit, caller: policy.caller, timeoutMs: policy.timeoutMs, signal },
    ...(policy.sensitive.length === 0 ? { copies: 1 } : {}),
    onSent: reservation.release,
    deferRelease: (end) => void (release = end),
  })
  if (result.ok) {
    const unread = memory.reserve(`unread ${policy.caller}`, () => signal.aborted)
    return toResponse(result.response, policy, release, unread)
  }
  release()
  return refusal(formatWithRemedy(result))
}

function refusal(message: string): Response {
  return new Response(message, { status: 403, headers: { [REFUSED_HEADER]: '1' } })
}

function withParameter(search: string, name: string, value: string): string {
  const otherPairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name))
  return [...otherPairs, `${encodeStrictly(name)}=${encodeStrictly(value)}`].join('&')
}

function toResponse(
  { status, statusText, headers, body }: GuardedResponse,
  { sensitive }: EgressPolicy,
  release: () => void,
  unread: Reservation,
): Response {
  const redact = createLazyRedact(() => sensitive)
  const safeHeaders = new Headers()
  for (const [name, value] of headers) if (name !== REFUSED_HEADER) safeHeaders.append(name, redact(value))
  const bytes = sensitive.length === 0 ? body : redactBytes(body, redact)
  if (!allowsBody(status)) release()
  return new Response(allowsBody(status) ? streamUntilRead(bytes, release, unread) : null, {
    status,
    statusText: redact(statusText),
    headers: safeHeaders,
  })
}

/** Streams in pieces, because workerd takes the first before the sandbox reads. All stay in memory until the last is read. */
function streamUntilRead(bytes: Uint8Array<ArrayBuffer>, release: () => void, unread: Reservation): BodyInit {
  if (bytes.byteLength > SMALL) {
    // A tool may read no response until all have arrived, so its next request must not wait for this one
    setTimeout(() => void unread.grow(bytes.byteLength).then(release), UNREAD_MS)
    const releaseBoth = () => {
      release()
      unread.release()
    }
    let offset = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(bytes.subarray(offset, (offset += SMALL)))
      if (offset < bytes.byteLength) return
      controller.close()
      releaseBoth()
    }
    return new ReadableStream<Uint8Array>({ pull, cancel: releaseBoth }, { highWaterMark: 0 })
  }
  release()
  return bytes
}

function redactBytes(bytes: Uint8Array<ArrayBuffer>, redact: Redact): Uint8Array<ArrayBuffer> {
  const text = utf8Text(bytes, { ignoreBOM: true })
  if (text !== undefined) {
    const safe = redact(text)
    return safe === text ? bytes : new Uint8Array(new TextEncoder().encode(safe))
  }
  const binary = binaryText(bytes)
  const safe = redact(binary)
  return safe === binary ? bytes : fromBinaryString(safe)
}

/** Plain data, because it is passed as the entrypoint's properties. */
export type EgressPolicy = NonNullable<ReturnType<typeof egressPolicy>>

export function egressPolicy(
  { allowed_hosts, timeout_ms }: { readonly allowed_hosts: readonly string[]; readonly timeout_ms: number },
  toolkit: string,
  /** Empty if callers share an isolate and its egress, which then belongs to the toolkit. */
  caller: string,
  allowHttpHosts: ReadonlySet<string>,
  credentials: readonly PlacedCredential[],
  sensitive: readonly string[],
) {
  if (allowed_hosts.length === 0) return null
  const hostRules = { allowedHosts: allowed_hosts, allowHttpHosts: [...allowHttpHosts] }
  return { ...hostRules, credentials, sensitive, toolkit, caller: caller || toolkit, timeoutMs: timeout_ms }
}

export interface PlacedCredential {
  readonly hosts: readonly string[]
  readonly in: 'header' | 'query'
  readonly name: string
  readonly text: string
}

/** Marks the gateway's refusals. It is removed from servers' responses. */
export const REFUSED_HEADER = 'switchboard-refused'
