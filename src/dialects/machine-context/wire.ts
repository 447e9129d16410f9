import type { CallRequest, CallOutcome } from '../../core/call/call.ts'
import { identifier, malformedRequestFailure } from '../../core/call/call-options.ts'
import { createContextReader } from '../../core/call/input.ts'
import { type FailureResult, type Failure, fail } from '../../core/failure/failure.ts'
import { toSingleValue } from '../../core/call/run.ts'
import { NO_CONTEXT } from '../../core/call/requirements.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { sanitizeName } from '../../core/tool/sanitize-name.ts'
import { toDocumentRef, formatToolId, isNamePart, isOwnName } from '../../core/tool/tool-id.ts'
import { DIALECT, TOOLKIT_PREFIX } from './encoding.ts'
import { EXECUTION_FAILURES, type ExecutionAnswer, toExecutionError } from './failure.ts'

export const VERSION = '1.0'

const MAX_SELECTOR = 128

const SOURCE = 'switchboard'
const HEADER = json.looseObject({
  version: json.optional(json.string()),
  messageId: identifier,
  messageType: json.enumReader(['request']),
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
const CONTEXT = createContextReader({
  request_id: json.nullish(identifier),
  session_id: json.nullish(identifier),
  user_id: json.nullish(identifier),
})
const PAYLOAD = json.looseObject({ tool: TOOL, context: json.nullish(CONTEXT, {}) })
export const MESSAGE = json.transform(json.looseObject({ header: HEADER, payload: PAYLOAD }), ({ payload }) => payload)

export type ReplyTo = ReturnType<typeof createReplyHeader>

type Stamp = Readonly<Record<'messageId' | 'timestamp', string>>

type Message = Readonly<Record<string, unknown>>

export const NO_SENDER = createReplyHeader(undefined)

export function createReplyHeader(body: unknown) {
  const header = readFields(body, 'header')
  const tool = readFields(readFields(body, 'payload'), 'tool')
  return {
    messageId: asText(header.messageId),
    source: asText(header.source),
    destination: asText(header.destination),
    id: asText(tool.id),
    capability: asText(tool.capability),
  }
}

/** Reads a request message ("Tool Execution"). Its `security` is not read: credentials travel in HTTP's own headers. */
export function decodeCall(body: unknown): CallRequest | FailureResult {
  const { version = VERSION } = readFields(body, 'header')
  if (typeof version === 'string' && !/^1(?:\.\d{1,9}){0,2}$/.test(version))
    return fail({ type: 'protocol-version-unsupported', asked: version.slice(0, 100), supported: VERSION })
  const read = json.parseValue(MESSAGE, body)
  if (!read.ok) return malformedRequestFailure(read.problems)
  const { tool, context } = read.value
  const { id, capability, parameters, version: selector } = tool
  if (!isOwnName(id) || !isOwnName(capability) || (selector?.length ?? 0) > MAX_SELECTOR)
    return fail({ type: 'id-malformed', asked: `${id}.${capability}` })
  const isToolkit = id.startsWith(TOOLKIT_PREFIX)
  const address = toDocumentRef({ dialect: DIALECT, id, tool: capability }, selector)
  const toolkit = isToolkit ? id.slice(TOOLKIT_PREFIX.length) : id
  // An id with a dash is a document's before it is an older toolkit's, and its capabilities keep their case
  const isPlain = isToolkit || sanitizeName(id) === id
  const hasName = isPlain && isNamePart(toolkit) && isNamePart(capability)
  const { request_id, session_id, user_id, values } = context
  return {
    asked: hasName ? formatToolId({ toolkit, tool: capability }, selector) : address,
    ...(isToolkit ? {} : { address }),
    input: parameters,
    callId: request_id ?? createReplyHeader(body).messageId,
    traceId: session_id,
    context: { ...NO_CONTEXT, userId: user_id, values },
  }
}

export function encodeOutcome({ durationMs, result }: CallOutcome, to: ReplyTo, stamp: Stamp): Message {
  if (!result.ok) return encodeFailure(result.failure, to, stamp, durationMs)
  const { value, content, elsewhere, artifact = elsewhere, usage } = result
  const more = { ...(content ? { content } : {}), ...(artifact ? { artifact } : {}) }
  const used = usage ? { resource_usage: usage } : {}
  const given = elsewhere && value === undefined ? {} : { result: toSingleValue(result) }
  const execution = { status: 'success', ...given, execution_time_ms: durationMs, ...used }
  const response = buildResponse(execution, to, stamp)
  return Object.keys(more).length > 0 ? { ...response, metadata: more } : response
}

export function encodeFailure(failure: Failure, to: ReplyTo, stamp: Stamp, durationMs = 0): Message {
  const answer: ExecutionAnswer = EXECUTION_FAILURES[failure.type]
  const error = toExecutionError(failure)
  if (!('execution' in answer)) return { header: buildHeader('error', to, stamp), error }
  return buildResponse({ status: answer.execution, error, execution_time_ms: durationMs }, to, stamp)
}

export function getStatus(failure: Failure): number {
  const answer: ExecutionAnswer = EXECUTION_FAILURES[failure.type]
  return 'execution' in answer ? 200 : answer.status
}

function buildResponse(execution: object, to: ReplyTo, stamp: Stamp): Message {
  return {
    header: buildHeader('response', to, stamp),
    payload: { tool: { id: to.id, capability: to.capability }, execution },
  }
}

function buildHeader(messageType: 'response' | 'error', to: ReplyTo, { messageId, timestamp }: Stamp): JsonObject {
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

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function readFields(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const field = isObject(value) ? value[key] : undefined
  return isObject(field) ? field : {}
}
