import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext } from '../../core/call/runner.ts'
import type { Meter } from '../../core/tool/budget.ts'
import { isObject } from '../../core/tool/json.ts'
import { FOREIGN, MANY_PARTS, parseJson } from '../../core/tool/json-text.ts'
import type { Signal } from '../../core/tool/platform.ts'
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts'
import { utf8Text } from '../../outbound/utf8.ts'
import type { ServerOutcome } from '../shared/retrying-call.ts'
import { type BadAnswer, type FailedCall, failureFields, unanswered, unstructured } from '../shared/server-failure.ts'
import type { Endpoint, RemoteDeps } from './endpoint.ts'
import { failed, refused } from './failed-call.ts'
import type { RemoteImplementation } from './implementation.ts'
import { type Listed, type ListRequest, MAX_LIST_BYTES, readPages } from './list-pages.ts'

const SCHEMA = 'urn:oxp:1.0'

/** OXP 1.0, "Call tool". The server gets no secrets or tokens but the endpoint's. */
export async function callOxp(
  { tool, pass_user }: Pick<RemoteImplementation, 'tool' | 'pass_user'>,
  { input, userId }: Invocation,
  endpoint: Endpoint,
  { signal, answered, meter }: RunContext,
  { guardedFetch, now }: RemoteDeps,
): Promise<ServerOutcome> {
  const context = pass_user && userId !== undefined ? { context: { user_id: userId } } : {}
  const body = JSON.stringify({ $schema: SCHEMA, request: { tool_id: tool, input, ...context } })
  const answer = await askServer('/tools/call', endpoint, { body, signal, meter }, guardedFetch)
  if (!answer.ok) return answer.failed
  const { status, document, text } = answer
  answered?.(status)
  if (status >= 200 && status < 300) return decodeAnswer(document, text, endpoint)
  const explained = isObject(document) ? wordsFor(status, document, endpoint) : undefined
  return explained ?? refused(answer, endpoint, now())
}

function decodeAnswer(document: unknown, text: string, endpoint: Endpoint): ServerOutcome {
  const result = isObject(document) && isObject(document['result']) ? document['result'] : document
  if (!isObject(result) || typeof result['success'] !== 'boolean') {
    return failed(`${endpoint.host} answered what is not OXP`, unstructured(text, endpoint), endpoint)
  }
  const { success, value, error } = result
  if (success) return { result: { ok: true, value: value ?? null } }
  const message = isObject(error) ? error['message'] : undefined
  const { developer_message, ...more } = failureFields(error)
  return failed(
    typeof message === 'string' && message !== '' ? message : 'The tool failed and did not say why',
    developer_message,
    endpoint,
    more,
  )
}

function wordsFor(
  status: number,
  document: Readonly<Record<string, unknown>>,
  endpoint: Endpoint,
): ServerOutcome | undefined {
  const { message, developer_message, missing_requirements: missing, parameter_errors: wrong } = document
  if (typeof message !== 'string' || (status !== 400 && status !== 422)) return undefined
  const developer = typeof developer_message === 'string' ? developer_message : undefined
  const more = isObject(missing) ? missingWords(missing) : isObject(wrong) ? parameterWords(wrong) : ''
  return failed(`${endpoint.host} says: ${message}${more === '' ? '' : ` (${more})`}`, developer, endpoint)
}

function missingWords({ authorization, secrets, user_id }: Readonly<Record<string, unknown>>): string {
  const ids = (list: unknown, words: (entry: Readonly<Record<string, unknown>>) => string) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown) => (isObject(entry) ? [words(entry)] : []))
  return [
    ...ids(
      authorization,
      ({ id, url }) => `a person's consent at '${String(id)}'${typeof url === 'string' ? `: ${url}` : ''}`,
    ),
    ...ids(secrets, ({ id }) => `its secret '${String(id)}'`),
    ...(user_id === true ? ["a user's id"] : []),
  ].join('; ')
}

function parameterWords(wrong: Readonly<Record<string, unknown>>): string {
  return Object.entries(wrong)
    .map(([name, why]) => `'${name}': ${String(why)}`)
    .join('; ')
}

export function listOxpTools(
  endpoint: Endpoint,
  { signal, toolkit, meter }: ListRequest,
  { guardedFetch, now }: RemoteDeps,
): Promise<Listed> {
  const { host } = endpoint
  let bytes = 0
  return readPages(host, async (cursor) => {
    const query = { ...(toolkit === undefined ? {} : { toolkit }), ...(cursor === undefined ? {} : { cursor }) }
    const answer = await askServer('/tools', endpoint, { query, signal, meter, parts: MANY_PARTS }, guardedFetch)
    if (!answer.ok) return { problem: answer.failed.result.failure.message }
    const { status, document, size } = answer
    if (status !== 200) return { problem: refused(answer, endpoint, now()).result.failure.message }
    if (!isObject(document) || !Array.isArray(document['items'])) return { problem: `${host} answered what is not OXP` }
    bytes += size
    if (bytes > MAX_LIST_BYTES) return { problem: `${host} lists more than ${MAX_LIST_BYTES} bytes` }
    const { items, next_cursor: next } = document
    return { tools: items, next: typeof next === 'string' && next !== '' ? next : undefined }
  })
}

interface OxpAnswer extends BadAnswer {
  readonly ok: true
  readonly size: number
  readonly document: unknown
}

interface Asking {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: string
  readonly parts?: number
  readonly signal: Signal
  readonly meter: Meter
}

async function askServer(
  route: string,
  { url, headers, credentialHeaders, host, redact, asker }: Endpoint,
  asking: Asking,
  guardedFetch: GuardedFetch,
): Promise<OxpAnswer | { readonly ok: false; readonly failed: FailedCall }> {
  const target = new URL(url)
  target.pathname = `${url.pathname.replace(/\/+$/, '')}${route}`
  for (const [name, value] of Object.entries(asking.query ?? {})) target.searchParams.set(name, value)
  const sent = new Headers(headers)
  sent.set('accept', 'application/json')
  if (asking.body !== undefined) sent.set('content-type', 'application/json')
  const answer = await guardedFetch({
    method: asking.body === undefined ? 'GET' : 'POST',
    url: target,
    headers: sent,
    body: asking.body,
    credentialHeaders,
    signal: asking.signal,
    asker,
  })
  if (!answer.ok) return { ok: false, failed: unanswered(answer, host, redact) }
  const { status, headers: answered, body } = answer.response
  const text = utf8Text(body)
  if (text === undefined)
    return { ok: false, failed: failed(`${host} answered what is not UTF-8`, undefined, { redact }) }
  const { meter, parts } = asking
  const read = parseJson(text, meter, {
    ...FOREIGN,
    what: `what ${host} answered`,
    ...(parts === undefined ? {} : { parts }),
  })
  if (!read.ok && read.isJson) return { ok: false, failed: failed(read.message, undefined, { redact }) }
  return {
    ok: true,
    status,
    headers: answered,
    text,
    size: body.byteLength,
    document: read.ok ? read.value : undefined,
  }
}
