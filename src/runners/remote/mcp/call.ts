import { isJsonObject, isJsonArray, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { RunResult } from '../../../core/call/runner.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { RetryClock, UpstreamResult } from '../../shared/retrying-call.ts'
import { fromCallToolResult } from '../answers.ts'
import type { Endpoint, RemoteCall, RemoteDeps } from '../endpoint.ts'
import { toFailedCall } from '../failed-call.ts'
import { readPersonRequest, WANTED_URL } from '../person-facing.ts'
import type { RemoteImplementation } from '../implementation.ts'
import { describeElicitations, toUpstreamFailure } from './errors.ts'
import { withSession } from './session.ts'
import { followTask, readTaskState } from './task.ts'

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
  { invocation, endpoint, context }: RemoteCall,
  deps: RemoteDeps & Pick<RetryClock, 'sleep'>,
): Promise<UpstreamResult> {
  const { input, answers } = invocation
  const { progress, log, traceparent } = context
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
  const askingTask = readTaskState(answers?.state)
  let task = askingTask
  const sessionResult = await withSession(
    {
      endpoint,
      signal: context.deadline.signal,
      maxBytes: MAX_BYTES,
      timeoutMs,
      canAsk: answers !== undefined,
      background: context.background,
      deferRelease: context.deferRelease,
      onResult(result) {
        if (result['resultType'] === 'task') {
          task = { ...result }
          // The SDK rejects results of this type
          Object.assign(result, { resultType: 'complete', content: [] })
        } else if (!task) output = detachOutput(result) ?? output
      },
    },
    deps,
    async (client, waiting) => {
      // Servers before 2026-07-28 ask over the open connection, where no person can answer
      if (answers) client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' }))
      if (log) {
        client.setNotificationHandler('notifications/message', ({ params: { data } }) => {
          log(endpoint.redact(typeof data === 'string' ? data : JSON.stringify(data)))
        })
      }
      const toolResult =
        task ??
        (await client.callTool(params, {
          ...waiting,
          allowInputRequired: true,
          ...(progress ? { onprogress: ({ progress: done, total, message }) => progress(done, total, message) } : {}),
          ...(inputSchema ? { toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } } } : {}),
        }))
      if (!task) return toolResult
      const responses = askingTask && answers ? answers.responses : {}
      return followTask(task, client, waiting, {
        sleep: deps.sleep,
        progress,
        canAsk: answers !== undefined,
        responses,
      })
    },
  )
  if (!sessionResult.ok) return { ...sessionResult.failed, ...(task ? { isUncertain: true } : {}) }
  const { value } = sessionResult
  if (value instanceof Error)
    return toUpstreamFailure(value, { lost: undefined, refusal: undefined }, endpoint, deps.now())
  if ('resultType' in value && value.resultType === 'input_required')
    return answers ? toInputRequests(value, endpoint) : toUnaskedInput(value, endpoint)
  if (task && !detachOutput({ ...value })) return toFailedCall(`The task of ${endpoint.host} has no result`, endpoint)
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

type Requests = Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>

/** Passes on the server's requests to a person. If a URL may not be shown to a person, the call fails. */
function toInputRequests(value: object, endpoint: Endpoint): UpstreamResult {
  const requests: Record<string, Requests[string]> = {}
  for (const [key, { method, params }] of listRequests(value)) {
    const safeParams = readPersonRequest(params, endpoint.host)
    if (!safeParams)
      return toFailedCall(`${endpoint.host} asks a person to open a URL that is not shown: ${WANTED_URL}`, endpoint)
    requests[key] = { method, params: safeParams }
  }
  const state = 'requestState' in value && typeof value.requestState === 'string' ? { state: value.requestState } : {}
  return { result: { ok: false, asks: { requests, ...state } } satisfies RunResult }
}

/** Returns the failure for a caller that cannot be asked. */
function toUnaskedInput(value: object, endpoint: Endpoint): UpstreamResult {
  const description = describeElicitations(listRequests(value).map(([, { params }]) => params))
  const message = `${endpoint.host} asks for something first: ${description || 'it does not say what'}`
  return toFailedCall(message, endpoint, { developer_message: 'Only a caller through /mcp (2026-07-28) can be asked' })
}

function listRequests(value: object): readonly (readonly [string, Requests[string]])[] {
  const requests = 'inputRequests' in value && isObject(value.inputRequests) ? value.inputRequests : {}
  return Object.entries(requests).flatMap(([key, request]) => {
    if (!isObject(request) || typeof request['method'] !== 'string') return []
    const { method, params } = request
    return [[key, { method, params: isJsonObject(params) ? params : {} }] as const]
  })
}
