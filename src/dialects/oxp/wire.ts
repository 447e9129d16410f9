import type { Call, Outcome } from '../../core/call/call.ts'
import { type Failing, type Failure, fail } from '../../core/call/failure.ts'
import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import { failureBody, toolError } from './failure.ts'

export const SCHEMA = 'urn:oxp:1.0'
export const VERSION = '1.0'

/** The names under which a message may say that it is of OXP 1.0 (OXP 1.0, "Versioning"). */
const SCHEMAS = [
  SCHEMA,
  'https://github.com/OpenToolCalling/Specification/tree/main/spec/http/1.0/openapi.json',
  'https://github.com/OpenExecProtocol/Specification/tree/main/spec/http/1.0/openapi.json',
]
const REQUEST_FIELDS = ['tool_id', 'call_id', 'trace_id', 'input', 'context']
const CONTEXT_FIELDS = ['authorization', 'secrets', 'user_id']
const NO_VALUES: ReadonlyMap<string, string> = new Map()
/** The most characters of a token or a secret: no header takes more. */
const MAX_VALUE = 65_536

/** Whether messages carry `$schema` and an envelope, or are bare, as they are under the header `OXP-Version`. */
export type Form = 'enveloped' | 'bare'

/**
 * Reads a CallToolRequest: `{"$schema"?, "request": {…}}`, or the request bare, in either form. What is not a request of
 * OXP 1.0 gives a failure that names the field.
 */
export function decodeCall(body: unknown): Call | Failing {
  if (!isObject(body)) return malformed('The body must be an object', 'Wanted {"request": {"tool_id": …}}')
  let request: unknown = body
  if ('request' in body) {
    const unknown = unknownField(body, ['$schema', 'request'])
    if (unknown) return unknown
    request = body.request
  }
  if (body.$schema !== undefined) {
    if (typeof body.$schema !== 'string') return malformed("'$schema' must be a string")
    if (!SCHEMAS.includes(body.$schema)) {
      return fail({ type: 'protocol-version-unsupported', asked: body.$schema.slice(0, 200), supported: SCHEMA })
    }
  }
  if (!isObject(request)) return malformed("'request' must be an object")
  const unknown = unknownField(request, request === body ? ['$schema', ...REQUEST_FIELDS] : REQUEST_FIELDS)
  if (unknown) return unknown
  const { tool_id, call_id, trace_id, input = {}, context = {} } = request
  if (typeof tool_id !== 'string') {
    return malformed(tool_id === undefined ? "'tool_id' is required" : "'tool_id' must be a string")
  }
  if (call_id !== undefined && !isIdentifier(call_id))
    return malformed("'call_id' must be a string of 1 to 256 characters")
  if (trace_id !== undefined && !isIdentifier(trace_id)) {
    return malformed("'trace_id' must be a string of 1 to 256 characters")
  }
  if (!isJsonObject(input)) return malformed("'input' must be an object")
  const decoded = decodeContext(context)
  if ('ok' in decoded) return decoded
  return {
    asked: tool_id,
    ...(call_id === undefined ? {} : { callId: call_id }),
    ...(trace_id === undefined ? {} : { traceId: trace_id }),
    input,
    context: decoded,
  }
}

/** A CallToolResponse, or the body of whatever failure kept the tool from running. */
export function encodeOutcome({ callId, durationMs, result }: Outcome, form: Form): object {
  if (result.ok) return envelope({ call_id: callId, success: true, duration: durationMs, value: result.value }, form)
  const error = toolError(result.failure)
  if (error) return envelope({ call_id: callId, success: false, duration: durationMs, error }, form)
  return encodeFailure(result.failure, form)
}

/** A ServerErrorResponse or ValidationErrorResponse. */
export function encodeFailure(failure: Failure, form: Form): JsonObject {
  const body = failureBody(failure)
  return form === 'bare' ? body : { $schema: SCHEMA, ...body }
}

function envelope(result: object, form: Form): object {
  return form === 'bare' ? result : { $schema: SCHEMA, result }
}

function decodeContext(context: unknown): Call['context'] | Failing {
  if (!isObject(context)) return malformed("'context' must be an object")
  const unknown = unknownField(context, CONTEXT_FIELDS, 'context.')
  if (unknown) return unknown
  const { authorization, secrets, user_id } = context
  const tokens = decodeValues(authorization, 'authorization', 'token')
  if ('ok' in tokens) return tokens
  const values = decodeValues(secrets, 'secrets', 'value')
  if ('ok' in values) return values
  if (user_id === undefined) return { tokens, secrets: values }
  if (!isIdentifier(user_id)) return malformed("'context.user_id' must be a string of 1 to 256 characters")
  return { tokens, secrets: values, userId: user_id }
}

/** `[{id, token | value}]` as a map. */
function decodeValues(list: unknown, field: string, key: 'token' | 'value'): ReadonlyMap<string, string> | Failing {
  if (list === undefined) return NO_VALUES
  if (!Array.isArray(list)) return malformed(`'context.${field}' must be an array`)
  const values = new Map<string, string>()
  for (const [index, entry] of list.entries()) {
    const value: unknown = isObject(entry) ? entry[key] : undefined
    const place = `context.${field}[${index}]`
    if (!isObject(entry) || typeof entry.id !== 'string' || typeof value !== 'string') {
      return malformed(`'${place}' must be an object with the strings 'id' and '${key}'`)
    }
    if (value.length > MAX_VALUE) return malformed(`'${place}.${key}' must be at most ${MAX_VALUE} characters long`)
    values.set(entry.id, value)
  }
  return values
}

function unknownField(object: object, known: readonly string[], prefix = ''): Failing | undefined {
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown === undefined) return undefined
  return malformed(`Unknown field '${prefix}${unknown.slice(0, 100)}'`, `Wanted ${known.join(', ')}`)
}

function malformed(message: string, detail?: string): Failing {
  return fail({ type: 'request-malformed', message, ...(detail === undefined ? {} : { detail }) })
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 256
}
