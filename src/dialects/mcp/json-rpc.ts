import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { anything, type Reader, stating } from '../../core/tool/json-reader.ts'

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

export interface McpError {
  readonly code: number
  readonly message: string
  readonly data?: Json
  readonly status: number
  readonly headers?: Record<string, string> | undefined
}

interface McpResult {
  readonly result: string
  readonly headers: Record<string, string>
}

export type McpAnswer = string | McpResult | McpError

export function withHeaders(answer: string | McpError, headers: Record<string, string> | undefined): McpAnswer {
  if (!headers) return answer
  return typeof answer === 'string'
    ? { result: answer, headers }
    : { ...answer, headers: { ...answer.headers, ...headers } }
}

export interface McpRequest {
  readonly kind: 'request'
  readonly id: string | number
  readonly method: string
  readonly params: JsonObject
}

export type Message =
  | McpRequest
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response' }
  | { readonly kind: 'malformed'; readonly id: string | number | null; readonly message: string }

const NO_PARAMS: JsonObject = {}

const MESSAGE: JsonObject = {
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

export const MESSAGES: Reader<Json | undefined> = stating(
  () => ({ anyOf: [MESSAGE, { type: 'array', items: MESSAGE, minItems: 1 }] }),
  anything,
)

export function readMessage(value: unknown): Message {
  if (!isJsonObject(value)) return { kind: 'malformed', id: null, message: 'A message must be an object' }
  const { jsonrpc, id, method, params = NO_PARAMS } = value
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  if (jsonrpc !== '2.0') return { kind: 'malformed', id: known, message: "'jsonrpc' must be '2.0'" }
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') return { kind: 'malformed', id: known, message: "'method' must be a string" }
  if (!isJsonObject(params)) return { kind: 'malformed', id: known, message: "'params' must be an object" }
  if (id === undefined) return { kind: 'notification', method, params }
  if (known === null) return { kind: 'malformed', id: null, message: "'id' must be a string or a number" }
  return { kind: 'request', id: known, method, params }
}

export function answerText(id: string | number, answered: McpAnswer): string {
  if (typeof answered !== 'string' && 'code' in answered) return errorText(id, answered)
  const result = typeof answered === 'string' ? answered : answered.result
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

export function errorText(id: string | number | null, { code, message, data }: McpError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

export function notificationText(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}
