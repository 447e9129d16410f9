import { isJsonObject, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { Invocation } from '../../../core/call/invocation.ts'
import type { RunContext, RunResult } from '../../../core/call/runner.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { ServerOutcome } from '../../shared/retrying-call.ts'
import { toolResult } from '../answers.ts'
import type { Endpoint, RemoteDeps } from '../endpoint.ts'
import { failed } from '../failed-call.ts'
import type { RemoteImplementation } from '../implementation.ts'
import { askedFor } from './errors.ts'
import { withSession } from './session.ts'

type McpTool = Pick<RemoteImplementation, 'tool' | 'timeout_ms'> & {
  readonly record: ToolRecord
  readonly inputSchema: JsonObject | undefined
}

const MAX_BYTES = 8 * 1024 * 1024
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

export async function callMcp(
  { tool: name, timeout_ms: timeoutMs, record, inputSchema }: McpTool,
  { input, answers }: Invocation,
  endpoint: Endpoint,
  context: RunContext,
  deps: RemoteDeps,
): Promise<ServerOutcome> {
  const { signal, progress, log, traceparent } = context
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
  const session = await withSession(
    {
      endpoint,
      signal,
      maxBytes: MAX_BYTES,
      timeoutMs,
      canAsk: answers !== undefined,
      background: context.background,
      meter: context.meter,
      atEnd: context.atEnd,
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
        ...(progress ? { onprogress: ({ progress: done, total, message }) => progress(done, total, message) } : {}),
        ...(inputSchema ? { toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } } } : {}),
      })
    },
  )
  if (!session.ok) return session.failed
  const { value } = session
  if ('resultType' in value && value.resultType === 'input_required')
    return inputRequired(value, answers !== undefined, endpoint)
  return toolResult(value, record, endpoint)
}

function inputRequired(value: object, canAsk: boolean, endpoint: Endpoint): ServerOutcome {
  const { inputRequests, requestState: state }: Readonly<Record<string, unknown>> = isObject(value) ? value : {}
  const requests: Record<string, { readonly method: string; readonly params: JsonObject }> = {}
  for (const [key, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    if (isObject(request) && typeof request['method'] === 'string') {
      const { method, params } = request
      requests[key] = { method, params: isJsonObject(params) ? params : {} }
    }
  }
  if (canAsk) {
    const asks = { requests, ...(typeof state === 'string' ? { state } : {}) }
    return { result: { ok: false, asks } satisfies RunResult }
  }
  const wanted = askedFor(Object.values(requests).map(({ params }) => params))
  return failed(
    `${endpoint.host} asks for something first: ${wanted || 'it does not say what'}`,
    'Only a caller through /mcp (2026-07-28) can be asked',
    endpoint,
  )
}
