import type { CallRequest, CallOutcome } from '../../core/call/call-request.ts'
import { identifier, malformedRequestFailure } from '../../core/call/call-options.ts'
import { createContextReader } from '../../core/call/input.ts'
import { type FailureResult, type Failure, fail } from '../../core/failure/failure.ts'
import { toSingleValue } from '../../core/call/output.ts'
import { NO_CONTEXT } from '../../core/call/requirements.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { sanitizeName } from '../../core/tool/sanitize-name.ts'
import { formatToolId, isNamePart, isOwnName } from '../../core/tool/tool-id.ts'
import { toDocumentRef, toIdRef } from '../../core/tool/tool-ref.ts'
import { DIALECT, TOOLKIT_PREFIX } from './encoding.ts'
import { EXECUTION_FAILURES, type FailureMapping, toExecutionError } from './failure.ts'

export const VERSION = '1.0'

const MAX_RANGE_CHARACTERS = 128

const SOURCE = 'switchboard'
const HEADER = json.looseObject({
  version: json.optional(json.string()),
  messageId: identifier,
  messageType: json.enumReader(['request']),
  timestamp: json.nullish(json.string()),
  source: json.nullish(json.string()),
  destination: json.nullish(json.string()),
})
// Strict, because a misspelled `parameters` would become a call without parameters
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
    messageId: readText(header.messageId),
    source: readText(header.source),
    destination: readText(header.destination),
    id: readText(tool.id),
    capability: readText(tool.capability),
  }
}

/** Reads a request message ("Tool Execution"). Its `security` is not read: credentials travel in HTTP's own headers. */
export function decodeCall(body: unknown): CallRequest | FailureResult {
  const { version = VERSION } = readFields(body, 'header')
  if (typeof version === 'string' && !/^1(?:\.\d{1,9}){0,2}$/.test(version))
    return fail({ type: 'protocol-version-unsupported', version: version.slice(0, 100), supported: VERSION })
  const read = json.parseValue(MESSAGE, body)
  if (!read.ok) return malformedRequestFailure(read.problems)
  const { tool, context } = read.value
  const { id, capability, parameters, version: range } = tool
  if (!isOwnName(id) || !isOwnName(capability) || (range?.length ?? 0) > MAX_RANGE_CHARACTERS)
    return fail({ type: 'id-malformed', ref: `${id}.${capability}` })
  const isToolkit = id.startsWith(TOOLKIT_PREFIX)
  const documentRef = toDocumentRef({ dialect: DIALECT, id, tool: capability, range })
  const toolkit = isToolkit ? id.slice(TOOLKIT_PREFIX.length) : id
  // An id with a dash is tried as a document's before an older toolkit's, and its capabilities keep their case
  const isPlain = isToolkit || sanitizeName(id) === id
  const hasName = isPlain && isNamePart(toolkit) && isNamePart(capability)
  const { request_id, session_id, user_id, values } = context
  return {
    toolRef: hasName ? toIdRef(formatToolId({ toolkit, tool: capability }, range)) : documentRef,
    ...(isToolkit ? {} : { documentRef }),
    input: parameters,
    callId: request_id ?? createReplyHeader(body).messageId,
    traceId: session_id,
    context: { ...NO_CONTEXT, userId: user_id, values },
  }
}

export function encodeOutcome({ durationMs, result }: CallOutcome, replyTo: ReplyTo, stamp: Stamp): Message {
  if (!result.ok) return encodeFailure(result.failure, replyTo, stamp, durationMs)
  const { value, content, elsewhere, artifact = elsewhere, usage } = result
  const metadata = { ...(content ? { content } : {}), ...(artifact ? { artifact } : {}) }
  const usageField = usage ? { resource_usage: usage } : {}
  const resultField = elsewhere && value === undefined ? {} : { result: toSingleValue(result) }
  const execution = { status: 'success', ...resultField, execution_time_ms: durationMs, ...usageField }
  const response = buildResponse(execution, replyTo, stamp)
  return Object.keys(metadata).length > 0 ? { ...response, metadata } : response
}

export function encodeFailure(failure: Failure, replyTo: ReplyTo, stamp: Stamp, durationMs = 0): Message {
  const mapping: FailureMapping = EXECUTION_FAILURES[failure.type]
  const error = toExecutionError(failure)
  if (!('execution' in mapping)) return { header: buildHeader('error', replyTo, stamp), error }
  return buildResponse({ status: mapping.execution, error, execution_time_ms: durationMs }, replyTo, stamp)
}

export function getStatus(failure: Failure): number {
  const mapping: FailureMapping = EXECUTION_FAILURES[failure.type]
  return 'execution' in mapping ? 200 : mapping.status
}

function buildResponse(execution: object, replyTo: ReplyTo, stamp: Stamp): Message {
  return {
    header: buildHeader('response', replyTo, stamp),
    payload: { tool: { id: replyTo.id, capability: replyTo.capability }, execution },
  }
}

function buildHeader(messageType: 'response' | 'error', replyTo: ReplyTo, { messageId, timestamp }: Stamp): JsonObject {
  return {
    version: VERSION,
    messageId,
    timestamp,
    messageType,
    requestId: replyTo.messageId,
    source: replyTo.destination ?? SOURCE,
    destination: replyTo.source,
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function readFields(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const field = isObject(value) ? value[key] : undefined
  return isObject(field) ? field : {}
}
