import type { RunContext } from '../../core/call/runner.ts'
import { isObject } from '../../core/tool/json.ts'
import {
  type JsonLimits,
  MAX_RESPONSE_NODES,
  FOREIGN_JSON,
  MAX_SOURCE_NODES,
  parseJson,
} from '../../core/tool/json-text.ts'
import type { ListRequest, RemoteAnswer, RemoteDialect } from '../../core/tool/remote-dialect.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { trimEnd } from '../../core/tool/trim.ts'
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts'
import { utf8Text } from '../../outbound/utf8.ts'
import type { UpstreamResult } from '../shared/retrying-call.ts'
import { type UpstreamFailure, failureFields, noResponseFailure, unstructured } from '../shared/server-failure.ts'
import { toUpstreamChallenge, fromCallToolResult } from './answers.ts'
import type { Endpoint, RemoteCall, RemoteDeps } from './endpoint.ts'
import { toFailedCall, toRejectedCall } from './failed-call.ts'
import type { RemoteImplementation } from './implementation.ts'
import { type Listed, listingProblem, MAX_LIST_BYTES, readPages } from './list-pages.ts'

/** Statuses whose body may state, in the server's dialect, what a call lacks. */
const EXPLAINED = new Set([400, 404, 422])

/** Calls a tool. The server gets only the endpoint's secrets and tokens. */
export async function callServer(
  dialect: RemoteDialect,
  { tool, pass_user, record }: Pick<RemoteImplementation, 'tool' | 'pass_user'> & { readonly record: ToolRecord },
  { invocation: { input, userId, method }, endpoint, context }: RemoteCall,
  { guardedFetch, now, newId }: RemoteDeps,
): Promise<UpstreamResult> {
  const { deadline, answered, deferRelease, budget, traceId, idempotencyKey } = context
  const callId = await idempotencyKey?.()
  const envelope = { callId, traceId, messageId: newId(), sentAt: new Date(now()) }
  const call = { tool, input, method, userId: pass_user ? userId : undefined, ...envelope }
  const body = JSON.stringify(dialect.writeCall(call))
  const answer = await askServer(
    dialect.paths.call,
    endpoint,
    { body, signal: deadline.signal, deferRelease, budget },
    guardedFetch,
  )
  if (!answer.ok) return answer.failed
  const { status, document, text } = answer
  answered?.(status)
  const isOk = status >= 200 && status < 300
  if (!isOk && !EXPLAINED.has(status)) return toRejectedCall(answer, endpoint, now())
  const { host } = endpoint
  const remoteAnswer = isObject(document) ? dialect.readAnswer(document, record.source.document) : undefined
  if (remoteAnswer) return toOutcome(remoteAnswer, isOk ? '' : `${host} says: `, record, endpoint)
  if (!isOk) return toRejectedCall(answer, endpoint, now())
  return toFailedCall(`${host} answered what is not ${dialect.title}`, endpoint, {
    developer_message: unstructured(text, endpoint),
  })
}

function toOutcome(
  answer: RemoteAnswer,
  messagePrefix: string,
  record: ToolRecord,
  endpoint: Endpoint,
): UpstreamResult {
  if ('value' in answer) return { result: { ok: true, value: answer.value ?? null } }
  if ('result' in answer) return fromCallToolResult(answer.result, record, endpoint)
  const { message, error, missing, more } = answer
  const challenge = toUpstreamChallenge(missing, record, endpoint)
  if (challenge) return challenge
  const words = typeof message === 'string' && message !== '' ? message : 'The tool failed and did not say why'
  return toFailedCall(`${messagePrefix}${words}${more ? ` (${more})` : ''}`, endpoint, failureFields(error))
}

export function listServer(
  { paths, title, listsByToolkit, readTools }: RemoteDialect,
  endpoint: Endpoint,
  { signal, toolkit }: ListRequest,
  { guardedFetch, now }: RemoteDeps,
): Promise<Listed> {
  const { host } = endpoint
  let bytes = 0
  return readPages(host, async (cursor) => {
    const query = { toolkit: listsByToolkit ? toolkit : undefined, cursor }
    const answer = await askServer(paths.list, endpoint, { query, signal, maxParts: MAX_SOURCE_NODES }, guardedFetch)
    if (!answer.ok) return { problem: listingProblem(answer.failed) }
    const { status, document, size } = answer
    if (status !== 200) return { problem: toRejectedCall(answer, endpoint, now()).result.failure.message }
    const read = readTools(document)
    if (!read) return { problem: `${host} answered what is not ${title}` }
    bytes += size
    if (bytes > MAX_LIST_BYTES) return { problem: `${host} lists more than ${MAX_LIST_BYTES} bytes` }
    const { tools, next } = read
    return { tools, next: typeof next === 'string' && next !== '' ? next : undefined }
  })
}

interface ServerRequest extends Pick<RunContext, 'deferRelease'>, Pick<JsonLimits, 'budget' | 'maxParts'> {
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: string
  readonly signal: AbortSignal
}

async function askServer(
  route: string,
  { url, headers, credentialHeaders, host, redact, initiator }: Endpoint,
  request: ServerRequest,
  guardedFetch: GuardedFetch,
) {
  const target = new URL(url)
  target.pathname = `${trimEnd(url.pathname, '/')}${route}`
  for (const [name, value] of Object.entries(request.query ?? {})) if (value) target.searchParams.set(name, value)
  const requestHeaders = new Headers(headers)
  requestHeaders.set('accept', 'application/json')
  if (request.body !== undefined) requestHeaders.set('content-type', 'application/json')
  const answer = await guardedFetch({
    method: request.body === undefined ? 'GET' : 'POST',
    url: target,
    headers: requestHeaders,
    body: request.body,
    credentialHeaders,
    signal: request.signal,
    initiator,
    deferRelease: request.deferRelease,
  })
  const toFailedAnswer = (failed: UpstreamFailure) => ({ ok: false as const, failed })
  if (!answer.ok) return toFailedAnswer(noResponseFailure(answer, host, redact))
  const { status, headers: responseHeaders, body } = answer.response
  const text = utf8Text(body)
  if (text === undefined) return toFailedAnswer(toFailedCall(`${host} answered what is not UTF-8`, { redact }))
  const { budget, maxParts = MAX_RESPONSE_NODES } = request
  const read = parseJson(text, { ...FOREIGN_JSON, budget, maxParts, what: `what ${host} answered` })
  if (!read.ok && read.isJson) return toFailedAnswer(toFailedCall(read.message, { redact }))
  const document = read.ok ? read.value : undefined
  return { ok: true as const, status, headers: responseHeaders, text, size: body.byteLength, document }
}
