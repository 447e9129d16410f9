import { identifier } from '../../core/call/call-options.ts'
import type { InputResponses } from '../../core/tool/content.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { formatReadError } from '../../core/tool/problem.ts'
import { MAX_OWN_NAME } from '../../core/tool/tool-id.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'

export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
/** Key of the extension, which some tools require as a capability. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CALL_ID_KEY = 'dev.switchboard/call_id'
const CONTEXT_KEY = 'dev.switchboard/context'
const RANGE_KEY = 'dev.switchboard/version'
const SELECT_KEY = 'dev.switchboard/select'
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const INFO_LEVELS = ['debug', 'info']

/** An id or progress token. A count of nanoseconds since 1970 needs a big integer. */
export type MessageId = string | number | bigint

export interface McpToolCall {
  readonly kind: 'call'
  readonly name: string
  readonly input: JsonObject
  readonly range?: string | undefined
  readonly callId?: string | undefined
  readonly traceparent?: string | undefined
  readonly progressToken?: MessageId | undefined
  readonly contextValues?: JsonObject | undefined
  readonly select?: Json | undefined
  readonly wantsLogs: boolean
  readonly inputResponses?: InputResponses['responses']
  readonly requestState?: string
}

const EMPTY_OBJECT: JsonObject = {}

/** A sealed state may be long. Error messages do not quote it. */
const sealedState = json.hideValue(json.stringMatching('a string', () => true, Infinity))

const META = json.looseObject({
  progressToken: json.optional(json.custom('a string or a number', readMessageId)),
  traceparent: json.anyJson,
  [RANGE_KEY]: json.optional(json.string({ min: 1, max: 128 })),
  [CALL_ID_KEY]: json.optional(identifier),
  [SELECT_KEY]: json.optional(json.string()),
  [LOG_LEVEL_KEY]: json.optional(json.enumReader(LEVELS)),
  [CONTEXT_KEY]: json.optional(json.anyObject),
})
const PARAMS = json.looseObject({
  name: json.string({ max: MAX_OWN_NAME }),
  arguments: json.nullish(json.anyObject, EMPTY_OBJECT),
  _meta: json.nullish(META, {}),
  inputResponses: json.optional(json.map(json.anyObject)),
  requestState: json.optional(sealedState),
})

export function decodeToolCall(params: JsonObject): McpToolCall | McpError {
  const read = json.parseValue(PARAMS, params)
  if (!read.ok) return invalid(formatReadError('the params', read.problems))
  const { arguments: input, _meta, ...fields } = read.value
  const { progressToken, traceparent, [LOG_LEVEL_KEY]: level } = _meta
  return {
    kind: 'call',
    ...fields,
    input,
    range: _meta[RANGE_KEY],
    callId: _meta[CALL_ID_KEY],
    contextValues: _meta[CONTEXT_KEY],
    select: _meta[SELECT_KEY],
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    progressToken,
    wantsLogs: level !== undefined && INFO_LEVELS.includes(level),
  }
}

export function readCapabilities({ _meta }: JsonObject): JsonObject {
  const capabilities = isJsonObject(_meta) ? _meta[CAPABILITIES_KEY] : undefined
  return isJsonObject(capabilities) ? capabilities : EMPTY_OBJECT
}

/** Checks whether a client declared an extension. */
export function declares({ extensions }: JsonObject, id: string): boolean {
  return isJsonObject(extensions) && extensions[id] !== undefined
}

export function invalid(message: string): McpError {
  return { kind: 'error', code: INVALID_PARAMS, message, status: 200 }
}

/**
 * Classifies an output for MCP: `none`, the tool has none; `any`, the schema allows everything, so it is not listed; `object`,
 * the schema has the type 'object', which revisions before 2026-07-28 require; `value`, any other schema.
 */
export function outputKind(output: JsonSchema | null) {
  if (output === null) return 'none'
  if (output === true) return 'any'
  if (output === false) return 'value'
  if (output.type === 'object') return 'object'
  for (const key in output) if (key !== 'description' && key !== 'title') return 'value'
  return 'any'
}

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** MCP 2026-07-28, "Error codes". */
export const MISSING_CAPABILITY = -32021

export function createMissingExtension(id: string): McpError {
  const message = `This needs a client that declares the extension '${id}'`
  const data = { requiredCapabilities: { extensions: { [id]: {} } } }
  return { kind: 'error', code: MISSING_CAPABILITY, message, data, status: 400 }
}

interface WithHeaders {
  readonly headers?: Record<string, string> | undefined
}

export interface McpError extends WithHeaders {
  readonly kind: 'error'
  readonly code: number
  readonly message: string
  readonly data?: Json
  readonly status: number
}

/** A list of tools is JSON text, because each tool is stored as JSON text. */
export type McpResult =
  | ({ readonly kind: 'result'; readonly value: object } & WithHeaders)
  | ({ readonly kind: 'tool-list'; readonly json: string } & WithHeaders)
  | McpError

export function toResult(value: object): McpResult {
  return { kind: 'result', value }
}

export function withHeaders(result: McpResult, headers: Record<string, string> | undefined): McpResult {
  return headers ? { ...result, headers: { ...result.headers, ...headers } } : result
}

type Message = ReturnType<typeof readMessage>
export type McpRequest = Extract<Message, { readonly kind: 'request' }>
export type McpNotification = Extract<Message, { readonly kind: 'notification' }>

const MESSAGE_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc'],
  anyOf: [{ required: ['method'] }, { required: ['result'] }, { required: ['error'] }],
}

export const MESSAGES: json.Reader<Json | undefined> = json.withSchema(
  () => ({ anyOf: [MESSAGE_SCHEMA, { type: 'array', items: MESSAGE_SCHEMA, minItems: 1 }] }),
  json.anyJson,
)

export function readMessage(value: unknown) {
  if (!isJsonObject(value)) return createMalformedMessage(null, 'A message must be an object')
  const { jsonrpc, id, method } = value
  const params = value.params ?? EMPTY_OBJECT
  const messageId = readMessageId(id) ?? null
  if (jsonrpc !== '2.0') return createMalformedMessage(messageId, "'jsonrpc' must be '2.0'")
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' as const }
  if (typeof method !== 'string') return createMalformedMessage(messageId, "'method' must be a string")
  if (!isJsonObject(params)) return createMalformedMessage(messageId, "'params' must be an object")
  if (id === undefined) return { kind: 'notification' as const, method, params }
  if (messageId === null) return createMalformedMessage(null, "'id' must be a string or a number")
  return { kind: 'request' as const, id: messageId, method, params }
}

function readMessageId(value: unknown): MessageId | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

const createMalformedMessage = (id: MessageId | null, message: string) => ({
  kind: 'malformed' as const,
  id,
  message,
})

export function formatResponse(id: MessageId, result: McpResult): string {
  if (result.kind === 'error') return formatErrorResponse(id, result)
  if (result.kind === 'tool-list') return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result.json}}`
  return JSON.stringify({ jsonrpc: '2.0', id, result: result.value })
}

export function formatErrorResponse(id: MessageId | null, { code, message, data }: McpError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
