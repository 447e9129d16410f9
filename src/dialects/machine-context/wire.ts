import type { Call, Outcome } from '../../core/call/call.ts'
import { identifier, malformed } from '../../core/call/call-fields.ts'
import { openContext } from '../../core/call/input.ts'
import { type Failing, type Failure, fail } from '../../core/failure/failure.ts'
import { heldValue } from '../../core/call/run.ts'
import { NO_CONTEXT } from '../../core/call/requirements.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { sanitizedName } from '../../core/tool/sanitize-name.ts'
import { askedByDocument, formatToolId, isNamePart, isOwnName } from '../../core/tool/tool-id.ts'
import { DIALECT, TOOLKIT_PREFIX } from './encoding.ts'
import { ANSWERS, type ExecutionAnswer, errorOf } from './failure.ts'

export const VERSION = '1.0'

const MAX_SELECTOR = 128

const SOURCE = 'switchboard'
const HEADER = json.openObject({
  version: json.optional(json.string()),
  messageId: identifier,
  messageType: json.oneOf(['request']),
  timestamp: json.nullish(json.string()),
  source: json.nullish(json.string()),
  destination: json.nullish(json.string()),
})
// Parameters under a misspelled name would be a call without parameters
const TOOL = json.object({
  id: json.string(),
  capability: json.string(),
  parameters: json.nullish(json.anyObject, {}),
  version: json.nullish(json.string()),
})
const CONTEXT = openContext({
  request_id: json.nullish(identifier),
  session_id: json.nullish(identifier),
  user_id: json.nullish(identifier),
})
const PAYLOAD = json.openObject({ tool: TOOL, context: json.nullish(CONTEXT, {}) })
export const MESSAGE = json.into(json.openObject({ header: HEADER, payload: PAYLOAD }), ({ payload }) => payload)

export type ReplyTo = ReturnType<typeof replyTo>

type Stamp = Readonly<Record<'messageId' | 'timestamp', string>>

type Message = Readonly<Record<string, unknown>>

export const NOBODY = replyTo(undefined)

export function replyTo(body: unknown) {
  const header = fieldsOf(body, 'header')
  const tool = fieldsOf(fieldsOf(body, 'payload'), 'tool')
  return {
    messageId: textOf(header.messageId),
    source: textOf(header.source),
    destination: textOf(header.destination),
    id: textOf(tool.id),
    capability: textOf(tool.capability),
  }
}

/** Reads a request message ("Tool Execution"). Its `security` is not read: credentials travel in HTTP's own headers. */
export function decodeCall(body: unknown): Call | Failing {
  const { version = VERSION } = fieldsOf(body, 'header')
  if (typeof version === 'string' && !/^1(?:\.\d{1,9}){0,2}$/.test(version))
    return fail({ type: 'protocol-version-unsupported', asked: version.slice(0, 100), supported: VERSION })
  const read = json.check(MESSAGE, body)
  if (!read.ok) return malformed(read.problems)
  const { tool, context } = read.value
  const { id, capability, parameters, version: selector } = tool
  if (!isOwnName(id) || !isOwnName(capability) || (selector?.length ?? 0) > MAX_SELECTOR)
    return fail({ type: 'id-malformed', asked: `${id}.${capability}` })
  const isToolkit = id.startsWith(TOOLKIT_PREFIX)
  const address = askedByDocument({ dialect: DIALECT, id, tool: capability }, selector)
  const toolkit = isToolkit ? id.slice(TOOLKIT_PREFIX.length) : id
  // An id with a dash is a document's before it is an older toolkit's, and its capabilities keep their case
  const isPlain = isToolkit || sanitizedName(id) === id
  const hasName = isPlain && isNamePart(toolkit) && isNamePart(capability)
  const { request_id, session_id, user_id, values } = context
  return {
    asked: hasName ? formatToolId({ toolkit, tool: capability }, selector) : address,
    ...(isToolkit ? {} : { address }),
    input: parameters,
    callId: request_id ?? replyTo(body).messageId,
    traceId: session_id,
    context: { ...NO_CONTEXT, userId: user_id, values },
  }
}

export function encodeOutcome({ durationMs, result }: Outcome, to: ReplyTo, stamp: Stamp): Message {
  if (!result.ok) return encodeFailure(result.failure, to, stamp, durationMs)
  const { value, content, elsewhere, artifact = elsewhere, usage } = result
  const more = { ...(content ? { content } : {}), ...(artifact ? { artifact } : {}) }
  const used = usage ? { resource_usage: usage } : {}
  const given = elsewhere && value === undefined ? {} : { result: heldValue(result) }
  const execution = { status: 'success', ...given, execution_time_ms: durationMs, ...used }
  const response = responseOf(execution, to, stamp)
  return Object.keys(more).length > 0 ? { ...response, metadata: more } : response
}

export function encodeFailure(failure: Failure, to: ReplyTo, stamp: Stamp, durationMs = 0): Message {
  const answer: ExecutionAnswer = ANSWERS[failure.type]
  const error = errorOf(failure)
  if (!('execution' in answer)) return { header: headerOf('error', to, stamp), error }
  return responseOf({ status: answer.execution, error, execution_time_ms: durationMs }, to, stamp)
}

export function statusOf(failure: Failure): number {
  const answer: ExecutionAnswer = ANSWERS[failure.type]
  return 'execution' in answer ? 200 : answer.status
}

function responseOf(execution: object, to: ReplyTo, stamp: Stamp): Message {
  return {
    header: headerOf('response', to, stamp),
    payload: { tool: { id: to.id, capability: to.capability }, execution },
  }
}

function headerOf(messageType: 'response' | 'error', to: ReplyTo, { messageId, timestamp }: Stamp): JsonObject {
  return {
    version: VERSION,
    messageId,
    timestamp,
    messageType,
    requestId: to.messageId,
    source: to.destination ?? SOURCE,
    destination: to.source,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function fieldsOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const field = isObject(value) ? value[key] : undefined
  return isObject(field) ? field : {}
}
