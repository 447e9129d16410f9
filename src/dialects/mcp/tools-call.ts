import type { Caller, CallTool } from '../../core/call/call.ts'
import { type Failure, fail, lacksSuggestions } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { linkTo } from '../../core/call/large-output.ts'
import { valueOf } from '../../core/call/run.ts'
import type { Success } from '../../core/call/runner.ts'
import type { Content } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { askedByName, isNamePart } from '../../core/tool/tool-id.ts'
import type { EventStream, StreamEvent } from '../../http/answer/event-stream.ts'
import { callerOf, contextOf } from '../../http/route/incoming-call.ts'
import { callHeaders, failureHeaders } from '../../http/answer/json-response.ts'
import { metaOf } from '../../core/failure/failure-meta.ts'
import { ANSWERS, textOf } from './failure.ts'
import type { Revision } from './revisions/revision.ts'
import { takeSelect } from './select-parameter.ts'
import { isCalled } from './tool-document.ts'
import { type McpClient, shownTool } from './toolset.ts'
import { INVALID_PARAMS, invalid, type McpAnswer, type McpError, type ToolCall, withHeaders } from './wire.ts'

interface ToolsCallDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
  readonly suggest: (name: string, client: McpClient) => Promise<readonly string[]>
}

export async function answerCall(
  given: ToolCall,
  revision: Revision,
  client: McpClient,
  stream: EventStream | undefined,
  deps: ToolsCallDeps,
): Promise<McpAnswer> {
  const { request, principal, background, toolset, meter } = client
  // An await costs a turn of the queue even where nothing has to be waited for
  const { name, asked } =
    isNamePart(given.name) && !toolset.tools
      ? { name: given.name, asked: askedByName(given.name, given.selector) }
      : await (await import('./named-tools.ts')).addressTool(given, client, deps.resolver)
  const call = toolset.select ? await takeSelect(given, asked, deps.resolver, background) : given
  const context = contextOf(request)
  if (!context.ok) return invalid(textOf(context.failure))
  if (toolset.tools !== undefined || !isNamePart(call.name)) {
    const shown = await shownTool(asked, client, deps.resolver)
    if (!shown || (name !== call.name && !isCalled(shown.tool.record, call.name)))
      return answerCallFailure(unknownTool(call.name, await deps.suggest(call.name, client)), revision, client)
  }
  const beginning = revision.round(call, client)
  const round = beginning instanceof Promise ? await beginning : beginning
  if ('code' in round) return round
  if ('failure' in round) return answerFailure(round.failure, revision)

  const caller: Caller = {
    ...callerOf(principal, request, background, meter, 'mcp', call.traceparent),
    signal: () => (revision.disconnectCancels ? (stream?.signal ?? request.signal) : undefined),
    leavingCancels: revision.disconnectCancels,
    audience: 'model',
    ...(stream ? reporting(call, stream) : {}),
  }
  const outcome = await deps.callTool(
    {
      asked,
      callId: call.callId,
      input: call.input,
      answers: round.answers,
      select: call.select,
      context: call.values === undefined ? context.value : { ...context.value, values: call.values },
    },
    caller,
  )
  const { tool } = outcome
  let { result } = outcome
  if (!result.ok && lacksSuggestions(result.failure))
    result = fail({ ...result.failure, suggestions: await deps.suggest(call.name, client) })
  const headers = callHeaders(outcome)
  if (result.ok) return withHeaders(encodeSuccess(result, tool ? tool.output : {}, revision), headers)
  const asking = await round.ask(result.failure)
  if (asking === undefined || (typeof asking === 'object' && 'failure' in asking))
    return withHeaders(answerCallFailure(asking?.failure ?? result.failure, revision, client), headers)
  return withHeaders(asking, headers)
}

export function answerFailure(failure: Failure, revision: Revision): string | McpError {
  const answer = ANSWERS[failure.type]
  if (answer === 'result') return encodeErrorContent(contentOf(failure), revision, metaOf(failure))
  const { code, status } = answer
  const headers = failureHeaders(failure)
  return { code, message: textOf(failure), status: revision.statuses[failure.type] ?? status, headers }
}

/** In search mode the tool's name is an argument, which a model corrects if it sees the error. */
function answerCallFailure(failure: Failure, revision: Revision, { toolset }: McpClient): string | McpError {
  const answer = answerFailure(failure, revision)
  const isArgument = toolset.search && typeof answer !== 'string' && answer.code === INVALID_PARAMS
  return isArgument ? encodeErrorResult(answer.message, revision) : answer
}

function unknownTool(name: string, suggestions: readonly string[] = []): Failure {
  return { type: 'tool-unknown', asked: name, suggestions }
}

export function wantsMessages({ progressToken, logs }: ToolCall, { headers }: Request): boolean {
  if (progressToken === undefined && !logs) return false
  const accept = headers.get('accept')
  return accept === null || /text\/(?:event-stream|\*)|\*\/\*/.test(accept)
}

export function messageEvent(data: string): StreamEvent {
  return { event: 'message', data }
}

function reporting({ name, progressToken, logs }: ToolCall, stream: EventStream): Pick<Caller, 'progress' | 'log'> {
  const notify = (method: string, params: object) =>
    stream.send(messageEvent(JSON.stringify({ jsonrpc: '2.0', method, params })))
  return {
    progress:
      progressToken === undefined
        ? undefined
        : (progress) => notify('notifications/progress', { progressToken, ...progress }),
    log: logs ? (data) => notify('notifications/message', { level: 'info', logger: name, data }) : undefined,
  }
}

/** Clients refuse a result without `structuredContent` that has a schema, so a stored artifact may be an error. */
function encodeSuccess(success: Success, output: JsonSchema | null, revision: Revision): string {
  const { value, content, artifact, elsewhere } = success
  const held = valueOf(success)
  if (!held.ok) return encodeErrorContent(contentOf(held.failure), revision)
  const text = JSON.stringify(value) ?? 'null'
  const shown = content || artifact || elsewhere
  const blocks = [
    ...(content ?? []).map(asBlock),
    ...(artifact ? [linkTo(artifact)] : []),
    ...(elsewhere ? [{ type: 'text', text: `The output is at ${elsewhere.url}` } as const, linkTo(elsewhere)] : []),
  ]
  const said = shown
    ? JSON.stringify(blocks)
    : `[{"type":"text","text":${typeof value === 'string' ? text : JSON.stringify(text)}}]`
  const structured =
    shown && value === null ? undefined : revision.structured(value, text, success.selected ? {} : output)
  return revision.result(
    structured === undefined ? `"content":${said}` : `"content":${said},"structuredContent":${structured}`,
  )
}

/** MCP's text has no type, its image must have one, and its resource must have a URI. */
function asBlock(block: Content, index: number): Content {
  switch (block.type) {
    case 'text': {
      const { mimeType: _, ...rest } = block
      return rest
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

function contentOf(failure: Failure): readonly Content[] {
  if (failure.type === 'tool-failed' && failure.content) return failure.content
  const lies = failure.type === 'output-elsewhere' || failure.type === 'select-failed' ? failure.artifact : undefined
  return [{ type: 'text', text: textOf(failure) }, ...(lies ? [linkTo(lies)] : [])]
}

function encodeErrorContent(content: readonly Content[], revision: Revision, meta?: JsonObject): string {
  return revision.result(`"content":${JSON.stringify(content.map(asBlock))},"isError":true`, meta)
}

export function encodeErrorResult(text: string, revision: Revision, meta?: JsonObject): string {
  return encodeErrorContent([{ type: 'text', text }], revision, meta)
}
