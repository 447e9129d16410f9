/**
 * MCP `tools/call`, in every revision and in this order: the context in the headers, the tool's name (within the toolset
 * that the URL chooses), `_select`, the round trip of an input request, the call, the result. Failures of the
 * protocol are JSON-RPC errors; failures of the tool are results with `isError` (`failure.ts`). In search mode the name
 * is an argument, so an unknown tool is such a result too. Progress and log lines are streamed if the client asks for
 * them and accepts a stream.
 */
import type { Caller, CallTool } from '../../core/call/call-request.ts'
import { type Failure, fail, needsSuggestions, ok, type Result } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { toResourceLink } from '../../core/call/large-output.ts'
import { toValueResult } from '../../core/call/run.ts'
import type { ToolSuccess } from '../../core/call/runner.ts'
import type { Content } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { toNameRef, type ToolRef } from '../../core/tool/tool-ref.ts'
import type { EventStream, StreamEvent } from '../../http/response/event-stream.ts'
import { createCaller, readCallContext } from '../../http/route/incoming-call.ts'
import { callHeaders, failureHeaders } from '../../http/response/json-response.ts'
import { toFailureMeta } from '../../core/failure/failure-meta.ts'
import { MCP_FAILURES, formatFailure } from './failure.ts'
import type { Revision } from './revisions/revision.ts'
import { extractSelect } from './select-parameter.ts'
import { hasPublishedName } from './tool-document.ts'
import { type McpRequestContext, findVisibleTool } from './toolset.ts'
import { INVALID_PARAMS, invalid, type McpResult, type McpToolCall, withHeaders } from './wire.ts'

interface ToolsCallDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
  readonly suggest: (name: string, client: McpRequestContext) => Promise<readonly string[]>
}

export interface McpExchange {
  readonly revision: Revision
  readonly client: McpRequestContext
  /** Where progress and log lines go. Without a stream, they are dropped. */
  readonly stream?: EventStream | undefined
}

export async function handleToolsCall(
  toolCall: McpToolCall,
  { revision, client, stream }: McpExchange,
  deps: ToolsCallDeps,
): Promise<McpResult> {
  const { request, background, toolset } = client
  const context = readCallContext(request)
  if (!context.ok) return invalid(formatFailure(context.failure))
  const located = await locateTool(toolCall, client, deps)
  if (!located.ok) return toCallFailure(located.failure, revision, client)
  const toolRef = located.value
  const call = toolset.select ? await extractSelect(toolCall, toolRef, deps.resolver, background) : toolCall
  const roundTrip = await revision.startRoundTrip(call, client)
  if (roundTrip.kind !== 'round-trip') return roundTrip

  const caller: Caller = {
    ...createCaller(client, 'mcp', call.traceparent),
    signal: () => (revision.cancelOnDisconnect ? (stream?.signal ?? request.signal) : undefined),
    cancelOnDisconnect: revision.cancelOnDisconnect,
    audience: 'model',
    ...(stream ? createNotifier(call, stream) : {}),
  }
  const outcome = await deps.callTool(
    {
      toolRef,
      callId: call.callId,
      input: call.input,
      answers: roundTrip.inputResponses,
      select: call.select,
      context: call.contextValues === undefined ? context.value : { ...context.value, values: call.contextValues },
    },
    caller,
  )
  const { tool } = outcome
  let { result } = outcome
  if (!result.ok && needsSuggestions(result.failure))
    result = fail({ ...result.failure, suggestions: await deps.suggest(call.name, client) })
  const headers = callHeaders(outcome)
  if (result.ok) return withHeaders(encodeSuccess(result, tool ? tool.output : {}, revision), headers)
  const reply = await roundTrip.requestInput(result.failure)
  return withHeaders(reply ?? toCallFailure(result.failure, revision, client), headers)
}

/**
 * The reference of the tool that a call names. A name such as `Toolkit_Tool`, where the URL chooses no tools, is not looked
 * up here: the call does that. Any other must be of a tool that the client sees in its toolset; and if our name for the
 * tool is written differently, then the name must be the published one.
 */
async function locateTool(
  toolCall: McpToolCall,
  client: McpRequestContext,
  { resolver, suggest }: ToolsCallDeps,
): Promise<Result<ToolRef>> {
  const { name, range } = toolCall
  if (isNamePart(name) && !client.toolset.tools) return ok(toNameRef(name, range))
  const { addressTool } = await import('./toolset-names.ts')
  const { name: ourName, toolRef } = await addressTool(toolCall, client, resolver)
  const resolved = await findVisibleTool(toolRef, client, resolver)
  if (resolved && (ourName === name || hasPublishedName(resolved.tool.record, name))) return ok(toolRef)
  return fail({ type: 'tool-unknown', ref: name, suggestions: await suggest(name, client) })
}

export function toMcpFailure(failure: Failure, revision: Revision): McpResult {
  const mapping = MCP_FAILURES[failure.type]
  if (mapping === 'result') return encodeErrorContent(toContent(failure), revision, toFailureMeta(failure))
  const status = revision.statuses[failure.type] ?? mapping.status
  const headers = failureHeaders(failure)
  return { kind: 'error', code: mapping.code, message: formatFailure(failure), status, headers }
}

/** In search mode the tool's name is an argument, which a model corrects if it sees the error. */
function toCallFailure(failure: Failure, revision: Revision, { toolset }: McpRequestContext): McpResult {
  const result = toMcpFailure(failure, revision)
  const isArgument = toolset.search && result.kind === 'error' && result.code === INVALID_PARAMS
  return isArgument ? encodeErrorResult(result.message, revision) : result
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

/**
 * An output that is stored, and whose schema accepts no link in its place, is sent as an error: clients refuse a success
 * without `structuredContent` if the tool has a schema.
 */
function encodeSuccess(success: ToolSuccess, output: JsonSchema | null, revision: Revision): McpResult {
  const { value, content, artifact, elsewhere } = success
  const valueResult = toValueResult(success)
  if (!valueResult.ok) return encodeErrorContent(toContent(valueResult.failure), revision)
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

/** MCP's text has no type, its image must have one, and its resource must have a URI. */
function toContentBlock(block: Content, index: number): Content {
  switch (block.type) {
    case 'text': {
      const { mimeType: _, ...textBlock } = block
      return textBlock
    }
    case 'image':
    case 'audio':
      return { mimeType: 'application/octet-stream', ...block }
    case 'resource':
      return { ...block, resource: { uri: `resource:${index}`, ...block.resource } }
    case 'resource_link':
      return block
  }
}

function toContent(failure: Failure): readonly Content[] {
  if (failure.type === 'tool-failed' && failure.content) return failure.content
  const artifact =
    failure.type === 'output-elsewhere' || failure.type === 'select-failed' ? failure.artifact : undefined
  return [{ type: 'text', text: formatFailure(failure) }, ...(artifact ? [toResourceLink(artifact)] : [])]
}

function encodeErrorContent(content: readonly Content[], revision: Revision, meta?: JsonObject): McpResult {
  return revision.createResult({ content: content.map(toContentBlock), isError: true }, meta)
}

export function encodeErrorResult(text: string, revision: Revision, meta?: JsonObject): McpResult {
  return encodeErrorContent([{ type: 'text', text }], revision, meta)
}
