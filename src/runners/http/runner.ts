import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext, Runner } from '../../core/call/runner.ts'
import { mayContainFiles } from '../../core/call/files.ts'
import { isJsonObject, isObject } from '../../core/tool/json.ts'
import { isIdempotent, type ToolRecord } from '../../core/tool/tool.ts'
import type { GuardedFetch, GuardedResult } from '../../outbound/guarded-fetch.ts'
import { isBusy, mayHaveRun, retryAfterMs } from '../../outbound/status.ts'
import { createCheckedRunner } from '../shared/checked-runner.ts'
import { type RetryClock, type UpstreamResult, createUpstreamTool } from '../shared/retrying-call.ts'
import { getHost } from '../shared/url-template.ts'
import { noResponseFailure } from '../shared/server-failure.ts'
import { type HttpImplementation, TOOL_VARIABLES } from './implementation.ts'
import { checkHttpImplementation } from './publication-rules.ts'
import { type BuiltRequest, prepareRequest } from './request.ts'
import { isExpected, resolveResponseRule, readResponse, type ResponseRule } from './response.ts'

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

export function createHttpRunner({
  guardedFetch,
  ...clock
}: RetryClock & { readonly guardedFetch: GuardedFetch }): Runner {
  return createCheckedRunner('http', checkHttpImplementation, (implementation, record) => {
    const { method, credentials, response, retry, timeout_ms: timeoutMs } = implementation
    const reading = resolveResponseRule(response, record)
    const isRetrySafe = IDEMPOTENT_METHODS.has(method) || isIdempotent(record)
    const build = prepareRequest(namingTool(implementation, record))
    const ask = async (invocation: Invocation, context: RunContext): Promise<UpstreamResult> => {
      const built = build(invocation, context)
      if (!built.ok) return { result: built }
      // Without secrets and tokens, there is nothing to redact in a response
      const allowsPartial = invocation.secrets.size + invocation.tokens.size === 0
      const { deferRelease } = context
      const { signal } = context.deadline
      const initiator = { toolkit: record.toolkit, caller: context.principal, timeoutMs, signal }
      const result = await guardedFetch({ ...built.request, allowsPartial, signal, initiator, deferRelease })
      if (result.ok) context.answered?.(result.response.status)
      return toOutcome(result, { ...built.request, budget: context.budget }, reading, clock.now())
    }
    const tool = createUpstreamTool(
      { ask, credentials, isRetrySafe, retries: retry.attempts, timeoutMs, hosts: [getHost(implementation.url)] },
      clock,
    )
    return sendsFiles(implementation, record) ? { ...tool, acceptsFiles: true } : tool
  })
}

/** Requires a body for bytes and no other input that may be a file, because its handle would be sent there as text. */
function sendsFiles({ body, parameters }: HttpImplementation, { input }: ToolRecord): boolean {
  if (body?.type !== 'raw' && body?.type !== 'multipart') return false
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const inputPlaces = new Map(parameters.map((each) => [each.input, each.in]))
  const elsewhere = Object.entries(properties).filter(([name]) => {
    return body.input === undefined ? (inputPlaces.get(name) ?? 'body') !== 'body' : name !== body.input
  })
  return !elsewhere.some(([, schema]) => mayContainFiles(schema) || JSON.stringify(schema).includes('"$ref"'))
}

function namingTool(implementation: HttpImplementation, record: ToolRecord): HttpImplementation {
  const { parameters, credentials } = implementation
  const { tool, sourceName = tool } = record
  const { properties } = record.input
  const isOther = (name: string) =>
    (isObject(properties) && Object.hasOwn(properties, name)) ||
    [...parameters, ...credentials].some((each) => each.in === 'path' && each.name === name)
  // A segment of only dots would change the path
  const values = [tool, /^\.+$/.test(sourceName) ? tool : encodeURIComponent(sourceName)]
  const url = TOOL_VARIABLES.reduce((text, name, index) => {
    return isOther(name) ? text : text.replaceAll(`{${name}}`, values[index] ?? '')
  }, implementation.url)
  return { ...implementation, url }
}

function toOutcome(
  answer: GuardedResult,
  request: BuiltRequest & Pick<RunContext, 'budget'>,
  reading: ResponseRule,
  now: number,
): UpstreamResult {
  if (!answer.ok) return noResponseFailure(answer, `${request.method} ${request.displayTarget.url}`, request.redact)
  const { status, headers, url } = answer.response
  const result = readResponse(answer.response, reading, request, now)
  if (isExpected(status, reading)) return { result }
  if (isBusy(status)) return { result, retryAfter: retryAfterMs(headers, now) ?? 'backoff' }
  // If the implementation maps `can_retry` from the response, the mapping decides
  if (mayHaveRun(status) && reading.error?.can_retry === undefined) return { result, isUncertain: true }
  // Another origin, reached by a redirect, did not receive the credentials
  return { result, isUnauthorized: status === 401 && URL.parse(url)?.origin === new URL(request.url).origin }
}
