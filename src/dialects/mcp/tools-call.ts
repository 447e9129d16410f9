import { maySee } from '../../core/access/principal.ts'
import type { Caller, CallTool } from '../../core/call/call.ts'
import { type Failing, type Failure, fail } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { askedByName, isNamePart, plainName } from '../../core/tool/tool-id.ts'
import type { EventStream, StreamEvent } from '../../http/answer/event-stream.ts'
import { callerOf, contextOf } from '../../http/route/incoming-call.ts'
import { callHeaders, failureHeaders } from '../../http/answer/json-response.ts'
import { textOf } from './failure.ts'
import { type McpAnswer, type McpError, notificationText, withHeaders } from './json-rpc.ts'
import { encodeFailure, encodeSuccess } from './result.ts'
import type { Revision } from './revisions/revision.ts'
import { takeSelect } from './select-parameter.ts'
import { publishedName } from './tool-document.ts'
import { type McpClient, isChosen } from './toolset.ts'
import { invalid, type ToolCall } from './wire.ts'

interface ToolsCallDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
  readonly suggest?: (name: string) => Promise<readonly string[]>
}

export async function answerCall(
  given: ToolCall,
  revision: Revision,
  client: McpClient,
  stream: EventStream | undefined,
  deps: ToolsCallDeps,
): Promise<McpAnswer> {
  const { request, principal, background, toolset } = client
  const name = isNamePart(given.name) ? given.name : plainName(given.name)
  const asked = askedByName(name, given.selector)
  const call = toolset.select ? await takeSelect(given, asked, deps.resolver, background) : given
  const context = contextOf(request)
  if (!context.ok) return invalid(textOf(context.failure))
  if (toolset.tools !== undefined || name !== call.name) {
    const resolved = await deps.resolver.resolve(asked, background)
    const record = resolved.ok ? resolved.tool.record : undefined
    // A tool that the principal may not see must look as if there were none
    const isShown = record && maySee(principal, record) && isChosen(toolset, record)
    const isMeant = isShown && (name === call.name || publishedName(record) === call.name)
    if (!isMeant) return answerFailure(unknownTool(call.name, await deps.suggest?.(call.name)), revision)
  }
  const beginning = revision.round(call, client)
  const round = beginning instanceof Promise ? await beginning : beginning
  if ('code' in round) return round
  if ('failure' in round) return answerFailure(round.failure, revision)

  const caller: Caller = {
    ...callerOf(principal, request, background, 'mcp', call.traceparent),
    signal: () => (revision.disconnectCancels ? (stream?.signal ?? request.signal) : undefined),
    leavingCancels: revision.disconnectCancels,
    ...(stream ? reporting(call, stream) : {}),
    answers: round.answers,
  }
  const outcome = await deps.callTool(
    {
      asked,
      ...(call.callId === undefined ? {} : { callId: call.callId }),
      input: call.input,
      ...(call.select === undefined ? {} : { select: call.select }),
      context: call.values === undefined ? context.value : { ...context.value, values: call.values },
    },
    caller,
  )
  const { tool } = outcome
  const result = outcome.result.ok ? outcome.result : await withSuggestions(outcome.result, call.name, deps)
  const headers = callHeaders(outcome)
  if (result.ok) return withHeaders(encodeSuccess(result, tool ? tool.output : {}, revision), headers)
  const asking = await round.ask(result.failure)
  if (asking === undefined || (typeof asking === 'object' && 'failure' in asking)) {
    return withHeaders(answerFailure(asking?.failure ?? result.failure, revision), headers)
  }
  return withHeaders(asking, headers)
}

export function answerFailure(failure: Failure, revision: Revision): string | McpError {
  const encoded = encodeFailure(failure, revision)
  return typeof encoded === 'string' ? encoded : { ...encoded, headers: failureHeaders(failure) }
}

export function unknownTool(name: string, suggestions: readonly string[] = []): Failure {
  return { type: 'tool-unknown', asked: name, suggestions }
}

async function withSuggestions(result: Failing, name: string, { suggest }: ToolsCallDeps) {
  if (!suggest || result.failure.type !== 'tool-unknown') return result
  if (result.failure.suggestions.length > 0) return result
  return fail({ ...result.failure, suggestions: await suggest(name) })
}

export function messageEvent(data: string): StreamEvent {
  return { event: 'message', data }
}

function reporting({ name, progressToken, logs }: ToolCall, stream: EventStream): Pick<Caller, 'progress' | 'log'> {
  const notify = (method: string, params: object) => stream.send(messageEvent(notificationText(method, params)))
  return {
    progress:
      progressToken === undefined
        ? undefined
        : (progress) => notify('notifications/progress', { progressToken, ...progress }),
    log: logs ? (data) => notify('notifications/message', { level: 'info', logger: name, data }) : undefined,
  }
}
