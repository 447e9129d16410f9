import { isJsonObject, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { RunContext, RunResult } from '../../../core/call/runner.ts'
import { readCallToolResult } from '../../shared/call-tool-result.ts'
import type { ServerOutcome } from '../../shared/server-call.ts'
import { excerpt } from '../../shared/server-failure.ts'
import { failed, type FailedCall, refused, unanswered } from '../failed-call.ts'
import type { Endpoint } from '../endpoint.ts'
import { codeOf, dataOf, statusOf, STREAM_ENDED } from './errors.ts'
import type { TransportFailures } from './session-fetch.ts'
import { type SessionDeps, withSession } from './session.ts'

export interface McpTool {
  readonly name: string
  /** The schema that says which arguments the server wants in headers too (MCP 2026-07-28, "x-mcp-header"). */
  readonly inputSchema?: JsonObject
  readonly timeoutMs: number
}

export interface McpDeps extends SessionDeps {
  readonly now: () => number
}

/** The most bytes of all answers to one call. */
const MAX_BYTES = 8 * 1024 * 1024
/** MCP 2025-11-25, `URLElicitationRequiredError`. */
const URL_ELICITATION_REQUIRED = -32042
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** Calls one tool of an MCP server, once. Its progress and logs pass through, and so does that the caller goes away. */
export async function callMcp(
  tool: McpTool,
  input: JsonObject,
  endpoint: Endpoint,
  context: RunContext,
  deps: McpDeps,
): Promise<ServerOutcome> {
  const { signal, progress, log, answers, traceparent } = context
  const meta = {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(log ? { [LOG_LEVEL]: 'info' as const } : {}),
  }
  const params = {
    name: tool.name,
    arguments: { ...input },
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
    ...(answers && Object.keys(answers.responses).length > 0 ? { inputResponses: answers.responses } : {}),
    ...(typeof answers?.state === 'string' ? { requestState: answers.state } : {}),
  }
  const session = await withSession(
    {
      endpoint,
      signal,
      maxBytes: MAX_BYTES,
      timeoutMs: tool.timeoutMs,
      canAsk: answers !== undefined,
      background: context.background,
    },
    deps,
    (client, waiting) => {
      // On a standing connection, as there were before 2026-07-28, nobody can be asked
      if (answers) client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' }))
      if (log) {
        client.setNotificationHandler('notifications/message', ({ params: { data } }) => {
          log(endpoint.redact(typeof data === 'string' ? data : JSON.stringify(data)))
        })
      }
      return client.callTool(params, {
        ...waiting,
        allowInputRequired: true,
        ...(progress
          ? {
              onprogress: ({ progress: done, total, message }) =>
                progress(done, total, message === undefined ? undefined : endpoint.redact(message)),
            }
          : {}),
        ...(tool.inputSchema
          ? { toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' } } }
          : {}),
      })
    },
  )
  if (!session.ok) return explain(session.error, session.failures, endpoint, deps.now())
  const { value } = session
  if ('resultType' in value && value.resultType === 'input_required')
    return inputRequired(value, answers !== undefined, endpoint)
  const { content, structuredContent, isError } = value
  const read = readCallToolResult(content, structuredContent, isError === true, endpoint.host)
  return read.ok ? { result: read } : failed(read.message, undefined, endpoint)
}

/** What a server asks for before it goes on: passed on where the caller can be asked, else a failure that says it. */
function inputRequired(value: object, canAsk: boolean, endpoint: Endpoint): ServerOutcome {
  const given: unknown = 'inputRequests' in value ? value.inputRequests : undefined
  const state: unknown = 'requestState' in value ? value.requestState : undefined
  const requests: Record<string, { readonly method: string; readonly params: JsonObject }> = {}
  for (const [key, request] of Object.entries(isObject(given) ? given : {})) {
    if (isObject(request) && typeof request['method'] === 'string') {
      const { method, params } = request
      requests[key] = { method, params: isJsonObject(params) ? params : {} }
    }
  }
  if (canAsk) {
    const asks = { requests, ...(typeof state === 'string' ? { state } : {}) }
    return { result: { ok: false, asks } satisfies RunResult }
  }
  const wanted = Object.values(requests).map(({ params }) => wordsOf(params))
  return failed(
    `${endpoint.host} asks for something first: ${wanted.filter((each) => each !== '').join('; ') || 'it does not say what'}`,
    'Only a caller through /mcp (2026-07-28) can be asked',
    endpoint,
  )
}

function wordsOf(params: JsonObject | Readonly<Record<string, unknown>>): string {
  const { message, url } = params
  return [message, url].filter((each) => typeof each === 'string' && each !== '').join(' ')
}

/** What went wrong: below the protocol, by its rules, or against them. */
export function explain(error: unknown, failures: TransportFailures, endpoint: Endpoint, now: number): FailedCall {
  const { host } = endpoint
  if (failures.unanswered) return unanswered(failures.unanswered, endpoint)
  if (statusOf(error) !== undefined && failures.refusal) return refused(failures.refusal, endpoint, now)
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  if (code === STREAM_ENDED) {
    const ended = failed(`${host} ended its answer before it was complete`, undefined, endpoint, { can_retry: true })
    return { ...ended, retryAfter: 'backoff' }
  }
  if (code === URL_ELICITATION_REQUIRED) {
    const data = dataOf(error)
    const list: unknown = isObject(data) ? data['elicitations'] : undefined
    const links = (Array.isArray(list) ? list : []).map((each: unknown) => (isObject(each) ? wordsOf(each) : ''))
    const what = links.filter((each) => each !== '').join('; ')
    return failed(`${host} needs a person first: ${what === '' ? message : what}`, `It answered ${code}`, endpoint)
  }
  if (code !== undefined) return failed(`${host} answered with an error: ${message}`, `Its code is ${code}`, endpoint)
  return failed(`${host} answered what is not MCP`, excerpt(message, endpoint.redact), endpoint)
}
