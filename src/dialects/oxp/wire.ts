import type { CallRequest } from '../../core/call/call-request.ts'
import { credentialValue, identifier, malformedRequestFailure } from '../../core/call/call-options.ts'
import { createContextReader } from '../../core/call/input.ts'
import { type FailureResult, type Failure, fail } from '../../core/failure/failure.ts'
import type { TaskOutcome } from '../../core/task/task.ts'
import { toValueResult } from '../../core/call/output.ts'
import { type CallContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { parseToolRef } from '../../core/tool/tool-ref.ts'
import { failureBody, STATUS } from './failure.ts'

export const SCHEMA = 'urn:oxp:1.0'
export const VERSION = '1.0'

const SCHEMAS = [
  SCHEMA,
  'https://github.com/OpenToolCalling/Specification/tree/main/spec/http/1.0/openapi.json',
  'https://github.com/OpenExecProtocol/Specification/tree/main/spec/http/1.0/openapi.json',
]
const TOKEN_READER = json.looseObject({ id: json.string(), token: credentialValue })
const SECRET = json.looseObject({ id: json.string(), value: credentialValue })
const CONTEXT_FIELDS = {
  // A credential in the wrong place must not be repeated in the error
  authorization: json.optional(
    json.hideValue(
      json.transform(json.array(TOKEN_READER), (tokens) => new Map(tokens.map(({ id, token }) => [id, token]))),
    ),
    NO_CONTEXT.tokens,
  ),
  secrets: json.optional(
    json.hideValue(
      json.transform(json.array(SECRET), (secrets) => new Map(secrets.map(({ id, value }) => [id, value]))),
    ),
    NO_CONTEXT.secrets,
  ),
  user_id: json.optional(identifier),
}
const CONTEXT = json.transform(
  createContextReader(CONTEXT_FIELDS),
  ({ authorization: tokens, user_id: userId, ...fields }): CallContext => ({ tokens, userId, ...fields }),
)
const FIELDS = {
  tool_id: json.string(),
  call_id: json.optional(identifier),
  trace_id: json.optional(identifier),
  input: json.optional(json.anyObject, {}),
  context: json.optional(CONTEXT, NO_CONTEXT),
}
const BARE = json.object({ $schema: json.optional(json.string()), ...FIELDS })
const ENVELOPED_FORM = json.object({ $schema: json.optional(json.string()), request: json.object(FIELDS) })
const ENVELOPED = json.transform(ENVELOPED_FORM, ({ request }) => request)

export const CALL_REQUEST = json.withSchema(
  () => ({ anyOf: [json.toJsonSchema(BARE), json.toJsonSchema(ENVELOPED_FORM)] }),
  json.anyObject,
)

export type OxpForm = 'enveloped' | 'bare'

export function versionHeader(form: OxpForm): Record<string, string> | undefined {
  return form === 'bare' ? { 'oxp-version': VERSION } : undefined
}

export function decodeCall(body: unknown): CallRequest | FailureResult {
  const isEnveloped = isObject(body) && 'request' in body
  const $schema = isObject(body) ? body.$schema : undefined
  if (typeof $schema === 'string' && !SCHEMAS.includes($schema))
    return fail({ type: 'protocol-version-unsupported', version: $schema.slice(0, 200), supported: SCHEMA })
  const read = isEnveloped ? json.parseValue(ENVELOPED, body) : json.parseValue(BARE, body)
  if (!read.ok) return malformedRequestFailure(read.problems)
  const { tool_id, call_id, trace_id, input, context } = read.value
  const path = isEnveloped ? '/request/context' : '/context'
  // Lets an error name a misspelled field of the context
  const hints = context.values && { contextFieldHints: { path, fields: Object.keys(CONTEXT_FIELDS) } }
  return { toolRef: parseToolRef(tool_id), callId: call_id, traceId: trace_id, input, context, ...hints }
}

export function encodeOutcome({ callId, durationMs, result }: TaskOutcome, form: OxpForm): object {
  // OXP's result allows no other fields, so the link to a stored output is beside it. A bare body has no place for it
  if (result.ok && result.elsewhere && result.value === undefined && form === 'enveloped')
    return { ...envelope({ call_id: callId, success: true, duration: durationMs }, form), artifact: result.elsewhere }
  const valueResult = result.ok ? toValueResult(result) : result
  if (valueResult.ok)
    return envelope({ call_id: callId, success: true, duration: durationMs, value: valueResult.value }, form)
  const { failure } = valueResult
  if (STATUS[failure.type] !== 200) return encodeFailure(failure, form)
  return envelope({ call_id: callId, success: false, duration: durationMs, error: failureBody(failure) }, form)
}

export function encodeFailure(failure: Failure, form: OxpForm): JsonObject {
  const body = failureBody(failure)
  return form === 'bare' ? body : { $schema: SCHEMA, ...body }
}

function envelope(result: object, form: OxpForm): object {
  return form === 'bare' ? result : { $schema: SCHEMA, result }
}
