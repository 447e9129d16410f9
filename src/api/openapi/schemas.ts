import type { JsonObject } from '../../core/tool/json.ts'

/** A JSON Schema of an answer. What answers hold beyond it may grow, so nothing closes them. */
export type Schema = JsonObject

export const TEXT: Schema = { type: 'string' }
const FLAG: Schema = { type: 'boolean' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const NUMBER: Schema = { type: 'number' }
export const TIME: Schema = { type: 'string', format: 'date-time' }
export const ANY: Schema = {}
export const OBJECT: Schema = { type: 'object' }

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export const TEXTS = listOf(TEXT)

/** An object; a name that ends in `?` may be absent. */
export function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(named), ...(required.length > 0 ? { required } : {}) }
}

/** One of the components of the document. */
export function ref(name: keyof typeof COMPONENTS): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

const PROBLEMS = listOf(objectOf({ path: TEXT, message: TEXT }))
const WARNINGS = listOf(objectOf({ message: TEXT }))
const KEY = {
  'id': TEXT,
  'name': TEXT,
  'scopes': TEXTS,
  'tools': TEXTS,
  'users': { anyOf: [{ const: 'any' }, TEXTS] },
  'created_at': TIME,
  'expires_at?': TIME,
  'limits?': OBJECT,
  'record_arguments?': FLAG,
}
const REPORT = { 'ids': TEXTS, 'left_out?': ANY, 'pending?': TEXTS, 'warnings?': WARNINGS }
const PERSON_ASKED = objectOf({ 'id': TEXT, 'url?': TEXT, 'check_url?': TEXT })
const MISSING = objectOf({
  'authorization?': listOf(PERSON_ASKED),
  'secrets?': listOf(objectOf({ id: TEXT })),
  'user_id?': FLAG,
})

/** What answers are made of. */
export const COMPONENTS = {
  Error: objectOf({
    '$schema?': TEXT,
    'message': TEXT,
    'developer_message?': TEXT,
    'errors?': PROBLEMS,
    'parameter_errors?': { type: 'object', additionalProperties: TEXT },
    'missing_requirements?': MISSING,
    'suggestions?': TEXTS,
    'can_retry?': FLAG,
  }),
  JsonRpcError: objectOf({
    'jsonrpc': { const: '2.0' },
    'id': { type: ['string', 'number', 'null'] },
    'error': objectOf({ 'code': { type: 'integer' }, 'message': TEXT, 'data?': ANY }),
  }),
  WorkerError: objectOf({ 'detail': TEXT, 'message': TEXT, 'developer_message?': TEXT }),
  CallToolResult: objectOf({
    'content': listOf(OBJECT),
    'isError?': FLAG,
    'structuredContent?': OBJECT,
    '_meta?': OBJECT,
  }),
  MachineContextError: objectOf({ header: OBJECT, error: objectOf({ code: TEXT, message: TEXT }) }),
  RegistryError: objectOf({ error: TEXT }),
  OAuthError: objectOf({ 'error': TEXT, 'error_description?': TEXT }),
  Key: objectOf({ ...KEY, 'last_used_at?': TIME, 'published?': OBJECT }),
  NewKey: objectOf({ ...KEY, 'key': TEXT, 'previous_expires_at?': TIME }),
  Policy: objectOf({
    'pattern': TEXT,
    'secrets?': TEXTS,
    'security_level?': COUNT,
    'approval?': { const: true },
    'timeout_ms?': COUNT,
    'limits?': OBJECT,
    'review?': { const: true },
  }),
  Provider: objectOf({
    'id': TEXT,
    'name': TEXT,
    'issuer?': TEXT,
    'authorization_endpoint?': TEXT,
    'token_endpoint?': TEXT,
    'revocation_endpoint?': TEXT,
    'client_id': TEXT,
    'client_secret_name?': TEXT,
    'token_endpoint_auth_method?': TEXT,
    'authorization_parameters?': OBJECT,
    'extra_scopes?': TEXTS,
    'scope_separator?': TEXT,
    'tools?': TEXTS,
    'built_in?': FLAG,
  }),
  Client: objectOf({
    'client_id': TEXT,
    'client_secret?': TEXT,
    'name': TEXT,
    'redirect_uris': TEXTS,
    'token_endpoint_auth_method': TEXT,
    'created_at': TIME,
  }),
  Session: objectOf({
    'id': TEXT,
    'principal': TEXT,
    'user_id?': TEXT,
    'origin': TEXT,
    'browser': TEXT,
    'created_at': TIME,
    'expires_at': TIME,
  }),
  Agent: objectOf({
    'id': TEXT,
    'principal': TEXT,
    'client': OBJECT,
    'toolkits': TEXTS,
    'scopes': TEXTS,
    'origin': TEXT,
    'created_at': TIME,
    'expires_at': TIME,
    'used_at?': TIME,
  }),
  Grant: objectOf({
    'provider': TEXT,
    'account': TEXT,
    'scopes': TEXTS,
    'granted_at': TIME,
    'expires_at?': TIME,
    'refreshable': FLAG,
    'toolkits': listOf(OBJECT),
  }),
  Authorization: objectOf({
    'id': TEXT,
    'provider': TEXT,
    'user_id?': TEXT,
    'scopes': TEXTS,
    'status': TEXT,
    'reason?': TEXT,
    'expires_at': TIME,
  }),
  Toolkit: objectOf({
    'toolkit': TEXT,
    'owner': { type: ['string', 'null'] },
    'bundled': FLAG,
    'untrusted': ANY,
    'status': TEXT,
    'message?': TEXT,
    'successor?': TEXT,
    'tags': TEXTS,
    'review': FLAG,
    'deleted_at?': TIME,
    'kept_until?': TIME,
  }),
  Published: objectOf(REPORT),
  Results: objectOf({
    results: listOf(
      objectOf({
        'id': { type: ['string', 'null'] },
        'status': { type: 'integer' },
        'ids?': TEXTS,
        'errors?': PROBLEMS,
        'pending?': TEXTS,
        'warnings?': WARNINGS,
      }),
    ),
  }),
  Version: objectOf({
    'id': TEXT,
    'status': { enum: ['active', 'deprecated', 'yanked', 'disabled', 'pending'] },
    'message?': TEXT,
    'successor?': TEXT,
    'publisher?': { type: ['string', 'null'] },
    'trusted?': FLAG,
  }),
  Readiness: objectOf({
    'tool': TEXT,
    'ready': FLAG,
    'status': objectOf({ state: TEXT }),
    'user_id?': TEXT,
    'problems': listOf(objectOf({ 'type': TEXT, 'message': TEXT, 'developer_message?': TEXT })),
    'missing_requirements?': MISSING,
    'context?': ANY,
    'upstreams?': listOf(OBJECT),
  }),
  Tools: objectOf({ '$schema?': TEXT, 'items': listOf(ANY), 'losses?': listOf(OBJECT), 'next_cursor?': TEXT }),
  CallResult: objectOf({
    '$schema?': TEXT,
    'result': {
      ...objectOf({
        'call_id': TEXT,
        'success': FLAG,
        'duration': NUMBER,
        'value?': ANY,
        'error?': objectOf({ 'message': TEXT, 'developer_message?': TEXT, 'can_retry?': FLAG }),
      }),
      oneOf: [{ properties: { success: { const: true } } }, { required: ['error'] }],
    },
  }),
  Page: objectOf({ 'items': listOf(objectOf({ at: TIME })), 'next_cursor?': TEXT }),
  Usage: objectOf({ since: TIME, until: TIME, by: TEXTS, items: listOf(OBJECT), lost: COUNT }),
  Health: objectOf({ 'status': { enum: ['ok', 'unavailable'] }, 'version?': TEXT, 'message?': TEXT }),
  Upload: objectOf({ 'handle': TEXT, 'size': COUNT, 'content_type': TEXT, 'filename?': TEXT, 'expires_at': TIME }),
} as const satisfies Readonly<Record<string, Schema>>
