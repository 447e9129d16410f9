import type { Call, Outcome } from '../../core/call/call.ts'
import { type Failing, type Failure, fail } from '../../core/call/failure.ts'
import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import { formatToolId, isNamePart } from '../../core/tool/tool-id.ts'
import { ANSWERS, type Answer, errorOf } from './failure.ts'

export const VERSION = '1.0'

/** Who answers when a request does not say whom it was sent to. */
const SOURCE = 'switchboard'
const TOOL_FIELDS = ['id', 'capability', 'parameters', 'version']
const NOTHING: ReadonlyMap<string, string> = new Map()

/** What a reply repeats of the message it replies to. */
export interface ReplyTo {
  readonly messageId: string | undefined
  readonly source: string | undefined
  readonly destination: string | undefined
  readonly id: string | undefined
  readonly capability: string | undefined
}

/** What makes a reply a message of its own. */
export interface Stamp {
  readonly messageId: string
  /** ISO 8601. */
  readonly timestamp: string
}

/** A message as it is serialised: fields without a value are left out there. */
export type Message = Readonly<Record<string, unknown>>

/** Of no message that could be read. */
export const NOBODY: ReplyTo = replyTo(undefined)

/** Whatever a body says that a reply repeats, be the rest as it may. */
export function replyTo(body: unknown): ReplyTo {
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

/**
 * Reads a request message ("Tool Execution"): `{header, payload: {tool: {id, capability, parameters?, version?}, context?,
 * security?}}`. The version, exact or a range, is an addition of ours. Of the context, `request_id` is the call's id,
 * `session_id` its trace and `user_id` its user. `security` is not read: credentials travel in HTTP's own headers.
 */
export function decodeCall(body: unknown): Call | Failing {
  if (!isObject(body)) return malformed('The body must be an object', 'Wanted {"header": …, "payload": …}')
  const { header, payload } = body
  if (!isObject(header)) return malformed("'header' must be an object")
  if (!isIdentifier(header.messageId)) return malformed("'header.messageId' must be a string of 1 to 256 characters")
  if (header.messageType !== 'request') return malformed("'header.messageType' must be 'request'")
  const { version = VERSION } = header
  if (typeof version !== 'string') return malformed("'header.version' must be a string")
  if (!/^1(?:\.\d{1,9}){0,2}$/.test(version)) {
    return fail({ type: 'protocol-version-unsupported', asked: version.slice(0, 100), supported: VERSION })
  }
  for (const field of ['timestamp', 'source', 'destination'] as const) {
    if (!isAbsent(header[field]) && typeof header[field] !== 'string') {
      return malformed(`'header.${field}' must be a string`)
    }
  }
  if (!isObject(payload)) return malformed("'payload' must be an object")
  const { tool } = payload
  if (!isObject(tool)) return malformed("'payload.tool' must be an object")
  // Parameters under a misspelled name would be a call without parameters
  const unknown = Object.keys(tool).find((key) => !TOOL_FIELDS.includes(key))
  if (unknown !== undefined) {
    return malformed(`Unknown field 'payload.tool.${unknown.slice(0, 100)}'`, `Wanted ${TOOL_FIELDS.join(', ')}`)
  }
  const { id, capability } = tool
  if (typeof id !== 'string') return malformed("'payload.tool.id' must be a string")
  if (typeof capability !== 'string') return malformed("'payload.tool.capability' must be a string")
  const selector = orAbsent(tool.version)
  if (selector !== undefined && typeof selector !== 'string')
    return malformed("'payload.tool.version' must be a string")
  const parameters = orAbsent(tool.parameters) ?? {}
  if (!isJsonObject(parameters)) return malformed("'payload.tool.parameters' must be an object")
  const context = decodeContext(payload.context)
  if ('ok' in context) return context
  const asked = formatToolId({ toolkit: id, tool: capability }, selector)
  if (!isNamePart(id) || !isNamePart(capability)) return fail({ type: 'id-malformed', asked })
  return { asked, input: parameters, ...context }
}

/** The response to a request, or the error message of a caller who was not let in. */
export function encodeOutcome({ durationMs, result }: Outcome, to: ReplyTo, stamp: Stamp): Message {
  if (!result.ok) return encodeFailure(result.failure, to, stamp, durationMs)
  const { value, content, artifact, usage } = result
  const more = { ...(content ? { content } : {}), ...(artifact ? { artifact } : {}) }
  const used = usage ? { resource_usage: usage } : {}
  const response = responseOf({ status: 'success', result: value, execution_time_ms: durationMs, ...used }, to, stamp)
  // The envelope's metadata is for what the protocol has no other place for
  return Object.keys(more).length > 0 ? { ...response, metadata: more } : response
}

/** A response whose execution failed, or an error message, as the table has it. */
export function encodeFailure(failure: Failure, to: ReplyTo, stamp: Stamp, durationMs = 0): Message {
  const answer: Answer = ANSWERS[failure.type]
  const error = errorOf(failure)
  if (!('execution' in answer)) return { header: headerOf('error', to, stamp), error }
  return responseOf({ status: answer.execution, error, execution_time_ms: durationMs }, to, stamp)
}

/** The status of HTTP: 200 for every response, whatever the execution came to. */
export function statusOf(failure: Failure): number {
  const answer: Answer = ANSWERS[failure.type]
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

function decodeContext(value: unknown): Pick<Call, 'callId' | 'traceId' | 'context'> | Failing {
  const context = orAbsent(value) ?? {}
  if (!isObject(context)) return malformed("'payload.context' must be an object")
  for (const field of ['request_id', 'session_id', 'user_id'] as const) {
    if (!isAbsent(context[field]) && !isIdentifier(context[field])) {
      return malformed(`'payload.context.${field}' must be a string of 1 to 256 characters`)
    }
  }
  const { request_id, session_id, user_id } = context
  return {
    ...(typeof request_id === 'string' ? { callId: request_id } : {}),
    ...(typeof session_id === 'string' ? { traceId: session_id } : {}),
    context: { tokens: NOTHING, secrets: NOTHING, ...(typeof user_id === 'string' ? { userId: user_id } : {}) },
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function fieldsOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const field = isObject(value) ? value[key] : undefined
  return isObject(field) ? field : {}
}

/** Clients that keep optional fields write those without a value as null. */
function orAbsent(value: unknown): unknown {
  return value === null ? undefined : value
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 256
}

function malformed(message: string, detail?: string): Failing {
  return fail({ type: 'request-malformed', message, ...(detail === undefined ? {} : { detail }) })
}
