import { createRedactor } from '../../core/call/redact.ts'
import { readCounting } from '../../outbound/read-counting.ts'
import { type GuardedFetch, type GuardedResponse } from '../../outbound/guarded-fetch.ts'
import { headerNameProblem } from '../shared/header-rules.ts'
import { encodeStrictly } from '../shared/percent-encoding.ts'
import { isAllowedHost } from './allowed-hosts.ts'
import { type EgressPolicy, REFUSED_HEADER } from './policy.ts'

/** The most bytes of a request's body. */
const MAX_BODY = 8 * 1024 * 1024
/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const NULL_BODY = new Set([101, 103, 204, 205, 304])

/**
 * Answers one request of a sandbox, which is one hop: a redirect comes back as it is, and where it leads is a request of
 * its own. Only the policy's hosts are reached, through the guarded fetch; credentials are added here, over whatever
 * the sandbox wrote in their places, and what an answer repeats of them is redacted. Never rejects: a refusal is a 403
 * with the header `switchboard-refused`, its body saying why without a path or a query.
 */
export async function answerEgress(
  request: Request,
  policy: EgressPolicy,
  guardedFetch: GuardedFetch,
  base64: (text: string) => string,
): Promise<Response> {
  const url = new URL(request.url)
  const shown = `${url.protocol}//${url.host}`
  if (!isAllowedHost(url, policy.allowedHosts)) {
    return refusal(`Cannot request "${shown}": it is not one of the tool's allowed_hosts`)
  }
  if (request.headers.has('upgrade')) return refusal(`Cannot request "${shown}": only HTTP leaves the sandbox`)
  const body = request.body && (await readCounting(request.body, MAX_BODY))
  if (body === undefined) return refusal(`Cannot request "${shown}": the body is over ${MAX_BODY} bytes`)

  const headers = new Headers()
  for (const [name, value] of request.headers) if (headerNameProblem(name) === undefined) headers.append(name, value)
  for (const { hosts, in: place, name, text } of policy.credentials) {
    if (!isAllowedHost(url, hosts)) continue
    if (place === 'header') headers.set(name, text)
    else url.search = withParameter(url.search, name, text)
  }
  const result = await guardedFetch({
    method: request.method,
    url,
    headers,
    body: body ?? undefined,
    credentialHeaders: [],
    redirect: 'manual',
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(policy.timeoutMs)]),
  })
  return result.ok ? responseOf(result.response, policy, base64) : refusal(result.message)
}

function refusal(message: string): Response {
  return new Response(message, { status: 403, headers: { [REFUSED_HEADER]: '1' } })
}

/** A query in which one parameter has this value and no other; the rest of it as it was written. */
function withParameter(search: string, name: string, value: string): string {
  const others = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name))
  return [...others, `${encodeStrictly(name)}=${encodeStrictly(value)}`].join('&')
}

function responseOf(
  { status, statusText, headers, body }: GuardedResponse,
  { sensitive }: EgressPolicy,
  base64: (text: string) => string,
): Response {
  const redactor = createRedactor(sensitive, base64)
  const answered = new Headers()
  for (const [name, value] of headers) {
    if (name !== REFUSED_HEADER) answered.append(name, redactor?.text(value) ?? value)
  }
  const bytes = redactor ? redacted(body, redactor.text) : body
  return new Response(NULL_BODY.has(status) ? null : bytes, {
    status,
    statusText: redactor?.text(statusText) ?? statusText,
    headers: answered,
  })
}

/** Bytes with every secret in them redacted: as UTF-8 when they are that, else byte by byte. */
function redacted(bytes: Uint8Array<ArrayBuffer>, redact: (text: string) => string): Uint8Array<ArrayBuffer> {
  const text = utf8(bytes)
  if (text !== undefined) {
    const safe = redact(text)
    return safe === text ? bytes : new Uint8Array(new TextEncoder().encode(safe))
  }
  const binary = binaryText(bytes)
  const safe = redact(binary)
  return safe === binary ? bytes : bytesOf(safe)
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function bytesOf(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** A text with a character a byte. */
function binaryText(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return text
}
