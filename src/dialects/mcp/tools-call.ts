/**
 * MCP `tools/call`, in every revision and in this order: the context in the headers, the tool's name (within the toolset
 * that the URL chooses, `find-tool.ts`), `_select`, the round trip of an input request, the call, the result. Failures of the
 * protocol are JSON-RPC errors; failures of the tool are results with `isError` (`failure.ts`). Progress and log lines are
 * streamed if the client asks for them and accepts a stream.
 */
import type { Caller, CallOutcome, CallRequest, CallTool } from '../../core/call/call-request.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import { catchUnreachable, type Failure, fail, needsSuggestions } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { toResourceLink } from '../../core/call/storable-content.ts'
import { toValueResult } from '../../core/call/output.ts'
import { PAGE_EXTENSION } from '../../core/page/page.ts'
import type { ToolSuccess } from '../../core/call/runner.ts'
import type { TaskOutcome } from '../../core/task/task.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { sanitizeName } from '../../core/tool/sanitize-name.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { toNameRef } from '../../core/tool/tool-ref.ts'
import type { EventStream, StreamEvent } from '../../http/response/event-stream.ts'
import { createCaller, readCallContext } from '../../http/route/incoming-call.ts'
import { callHeaders } from '../../http/response/json-response.ts'
import { toContentBlock } from './content-block.ts'
import { formatFailure } from './failure.ts'
import { toErrorResult, toMcpFailure } from './failure-response.ts'
import type { Revision } from './revisions/revision.ts'
import { extractSelect } from './select-parameter.ts'
import { type McpRequestContext, restrictToToolset } from './toolset.ts'
import { declares, INVALID_PARAMS, invalid, type McpResult, type McpToolCall, withHeaders } from './wire.ts'

export interface ToolsCallDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
  readonly catalog: Catalog
}

export interface McpExchange {
  readonly revision: Revision
  readonly context: McpRequestContext
  /** Where progress and log lines go. Without a stream, they are dropped. */
  readonly stream?: EventStream | undefined
  readonly wrapToolCall?: WrapToolCall | undefined
}

/** Replaces `callTool` in an extension, which can still call it or respond itself. */
export type WrapToolCall = (
  call: CallRequest,
  caller: Caller,
  exchange: McpExchange,
  callTool: CallTool,
) => Promise<CallOutcome | McpResult>

export async function handleToolsCall(
  request: McpToolCall,
  exchange: McpExchange,
  deps: ToolsCallDeps,
): Promise<McpResult> {
  const { revision, context, stream, wrapToolCall } = exchange
  const { toolset, capabilities } = context
  const { name, range } = request
  const callContext = readCallContext(context.request)
  if (!callContext.ok) return invalid(formatFailure(callContext.failure))
  const isAnyTool = isNamePart(name) && !toolset.patterns
  // `callTool` looks up this reference. Only other names need to be looked up here
  const toolRef = isAnyTool ? toNameRef(name, range) : await findToolRef(request, context, deps.resolver)
  if (!toolRef) {
    const suggestions = await suggestNames(name, context, deps.catalog)
    return toCallFailure({ type: 'tool-unknown', ref: name, suggestions }, revision, context)
  }
  const call = toolset.select ? await extractSelect(request, toolRef, context, deps.resolver) : request
  const roundTrip = await revision.startRoundTrip(call, context)
  if (roundTrip.kind !== 'round-trip') return roundTrip

  const caller: Caller = {
    ...createCaller(context, 'mcp', call.traceparent),
    // Before 2026-07-28, "Disconnection SHOULD NOT be interpreted as the client cancelling its request"
    signal: () => (revision.isModern ? (stream?.signal ?? context.request.signal) : undefined),
    cancelOnDisconnect: revision.isModern,
    audience: 'model',
    lacksTasks: revision.isModern && !wrapToolCall,
    ...(stream ? createNotifier(call, stream) : {}),
  }
  // Pages call tools by the names on their server
  const mayBePage = isAnyTool && capabilities.extensions !== undefined && declares(capabilities, PAGE_EXTENSION)
  const toolCall: CallRequest = {
    toolRef,
    ...(mayBePage ? { fallback: { bareName: { name: sanitizeName(name) } } } : {}),
    callId: call.callId,
    input: call.input,
    answers: roundTrip.inputResponses,
    select: call.select,
    context:
      call.contextValues === undefined ? callContext.value : { ...callContext.value, values: call.contextValues },
  }
  const outcome = await (wrapToolCall
    ? wrapToolCall(toolCall, caller, exchange, deps.callTool)
    : deps.callTool(toolCall, caller))
  if ('kind' in outcome) return outcome
  let { result } = outcome
  if (!result.ok && needsSuggestions(result.failure))
    result = fail({ ...result.failure, suggestions: await suggestNames(name, context, deps.catalog) })
  const headers = callHeaders(outcome)
  const reply = result.ok ? undefined : await roundTrip.requestInput(result.failure)
  return withHeaders(reply ?? encodeOutcome({ ...outcome, result }, exchange), headers)
}

/** Encodes the outcome of a call that needs no round trip. */
export function encodeOutcome(
  { result, tool }: Pick<TaskOutcome, 'result' | 'tool'>,
  { revision, context }: McpExchange,
): McpResult {
  if (!result.ok) return toCallFailure(result.failure, revision, context)
  return encodeSuccess(result, tool ? tool.output : {}, revision)
}

async function findToolRef(call: McpToolCall, context: McpRequestContext, resolver: Resolver) {
  const { findTool } = await import('./find-tool.ts')
  return (await findTool(call, context, resolver))?.toolRef
}

async function suggestNames(name: string, { principal, toolset }: McpRequestContext, catalog: Catalog) {
  const names = await catchUnreachable(catalog.suggestNames(name, restrictToToolset(principal, toolset)))
  return names.ok ? names.value : []
}

/** In search mode the tool's name is an argument, which a model corrects if it sees the error. */
function toCallFailure(failure: Failure, revision: Revision, { toolset }: McpRequestContext): McpResult {
  const result = toMcpFailure(failure, revision)
  const isArgument = toolset.search && result.kind === 'error' && result.code === INVALID_PARAMS
  return isArgument ? toErrorResult(result.message, revision) : result
}

export function createMessageEvent(data: string): StreamEvent {
  return { event: 'message', data }
}

function createNotifier(
  { name, progressToken, wantsLogs }: McpToolCall,
  stream: EventStream,
): Pick<Caller, 'progress' | 'log'> {
  const notify = (method: string, params: object) =>
    stream.send(createMessageEvent(JSON.stringify({ jsonrpc: '2.0', method, params })))
  return {
    progress:
      progressToken === undefined
        ? undefined
        : (progress) => notify('notifications/progress', { progressToken, ...progress }),
    log: wantsLogs ? (data) => notify('notifications/message', { level: 'info', logger: name, data }) : undefined,
  }
}

function encodeSuccess(success: ToolSuccess, output: JsonSchema | null, revision: Revision): McpResult {
  const { value, content, artifact, elsewhere } = success
  const valueResult = toValueResult(success)
  // The output is stored, but the schema allows no link instead, and clients refuse a success without `structuredContent`
  if (!valueResult.ok) return toMcpFailure(valueResult.failure, revision)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  const hasContent = content || artifact || elsewhere
  const blocks = [
    ...(content ?? []).map(toContentBlock),
    ...(artifact ? [toResourceLink(artifact)] : []),
    ...(elsewhere
      ? [{ type: 'text', text: `The output is at ${elsewhere.url}` } as const, toResourceLink(elsewhere)]
      : []),
  ]
  const structuredContent =
    hasContent && value === null
      ? undefined
      : revision.toStructuredContent(value === undefined ? null : value, success.selected ? {} : output)
  return revision.createResult({ content: hasContent ? blocks : [{ type: 'text', text }], structuredContent })
}
