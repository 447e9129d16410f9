import { isJsonObject, isJsonArray, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { Invocation } from '../../../core/call/invocation.ts'
import type { RunContext, RunResult } from '../../../core/call/runner.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { UpstreamResult } from '../../shared/retrying-call.ts'
import { fromCallToolResult } from '../answers.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import { toFailedCall } from '../failed-call.ts'
import { readPersonRequest, WANTED_URL } from '../person-facing.ts'
import type { RemoteImplementation } from '../implementation.ts'
import { describeElicitations } from './errors.ts'
import { withSession } from './session.ts'

type McpTool = Pick<RemoteImplementation, 'tool' | 'timeout_ms'> & {
  readonly record: ToolRecord
  readonly inputSchema: JsonObject | undefined
}

interface ToolOutput {
  readonly content?: unknown
  readonly structuredContent?: unknown
}

const MAX_BYTES = 8 * 1024 * 1024
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

export async function callMcp(
  { tool: name, timeout_ms: timeoutMs, record, inputSchema }: McpTool,
  { input, answers }: Invocation,
  endpoint: Endpoint,
  context: RunContext,
  deps: RemoteDeps,
): Promise<UpstreamResult> {
  const { progress, log, traceparent } = context
  const { signal } = context.deadline
  const meta = {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(log ? { [LOG_LEVEL]: 'info' as const } : {}),
  }
  const params = {
    name,
    arguments: { ...input },
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
    ...(answers && Object.keys(answers.responses).length > 0 ? { inputResponses: answers.responses } : {}),
    ...(typeof answers?.state === 'string' ? { requestState: answers.state } : {}),
  }
  let output: ToolOutput = {}
  const session = await withSession(
    {
      endpoint,
      signal,
      maxBytes: MAX_BYTES,
      timeoutMs,
      canAsk: answers !== undefined,
      background: context.background,
      deferRelease: context.deferRelease,
      onResult(result) {
        output = detachOutput(result) ?? output
      },
    },
    deps,
    (client, waiting) => {
      // Servers before 2026-07-28 ask over the open connection, where no person can answer
      if (answers) client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' }))
      if (log) {
        client.setNotificationHandler('notifications/message', ({ params: { data } }) => {
          log(endpoint.redact(typeof data === 'string' ? data : JSON.stringify(data)))
        })
      }
      return client.callTool(params, {
        ...waiting,
        allowInputRequired: true,
        ...(progress ? { onprogress: ({ progress: done, total, message }) => progress(done, total, message) } : {}),
        ...(inputSchema ? { toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } } } : {}),
      })
    },
  )
  if (!session.ok) return session.failed
  const { value } = session
  if ('resultType' in value && value.resultType === 'input_required')
    return toInputRequired(value, answers !== undefined, endpoint)
  return fromCallToolResult({ ...value, ...output }, record, endpoint)
}

/**
 * Takes the output out of a result before the SDK reads it: the SDK refuses the whole result for one block that it does not
 * know, though the tool has run. Undefined for results without an output.
 */
function detachOutput(result: Record<string, unknown>): ToolOutput | undefined {
  const { content, structuredContent } = result
  const hasOutput = isJsonArray(content) || (content === undefined && structuredContent !== undefined)
  if (!hasOutput) return undefined
  Object.assign(result, { content: [], structuredContent: undefined })
  return { content, structuredContent }
}

function toInputRequired(value: object, canAsk: boolean, endpoint: Endpoint): UpstreamResult {
  const { inputRequests, requestState: state }: Readonly<Record<string, unknown>> = isObject(value) ? value : {}
  const requests: Record<string, { readonly method: string; readonly params: JsonObject }> = {}
  const requestParams: unknown[] = []
  for (const [key, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    if (!isObject(request) || typeof request['method'] !== 'string') continue
    const { method, params } = request
    requestParams.push(params)
    const safeParams = readPersonRequest(isJsonObject(params) ? params : {}, endpoint.host)
    if (safeParams) requests[key] = { method, params: safeParams }
  }
  if (canAsk && Object.keys(requests).length < requestParams.length)
    return toFailedCall(
      `${endpoint.host} asks a person to open a URL that is not shown: ${WANTED_URL}`,
      undefined,
      endpoint,
    )
  if (canAsk) {
    const required = { requests, ...(typeof state === 'string' ? { state } : {}) }
    return { result: { ok: false, asks: required } satisfies RunResult }
  }
  const description = describeElicitations(requestParams)
  return toFailedCall(
    `${endpoint.host} asks for something first: ${description || 'it does not say what'}`,
    'Only a caller through /mcp (2026-07-28) can be asked',
    endpoint,
  )
}
