import type { JsonObject } from '../../core/tool/json.ts'
import { ANY, listOf, OBJECT, objectOf, ref, TEXT, TEXTS } from '../../http/route/answers.ts'

const FLAG: JsonObject = { type: 'boolean' }
const COUNT: JsonObject = { type: 'integer', minimum: 0 }
const NUMBER: JsonObject = { type: 'number' }
const TIME: JsonObject = { type: 'string', format: 'date-time' }

function fields(schema: JsonObject, ...names: readonly string[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

const PROBLEMS = listOf(objectOf({ path: TEXT, message: TEXT }))
const WARNINGS = listOf(objectOf({ message: TEXT }))
const KEY = {
  ...fields(TEXT, 'id', 'name'),
  ...fields(TEXTS, 'scopes', 'tools'),
  'users': { anyOf: [{ const: 'any' }, TEXTS] },
  ...fields(TIME, 'created_at', 'expires_at?'),
  'limits?': OBJECT,
  'record_arguments?': FLAG,
}
const REPORT = { 'ids': TEXTS, 'dialect?': TEXT, 'left_out?': ANY, 'pending?': TEXTS, 'warnings?': WARNINGS }
const CHALLENGE = { 'id': TEXT, 'url?': TEXT, 'check_url?': TEXT }
const MISSING = {
  'authorization?': listOf(objectOf(CHALLENGE)),
  'tokens?': listOf(objectOf({ id: TEXT })),
  'secrets?': listOf(objectOf({ id: TEXT })),
  'user_id?': { ...FLAG, description: 'Whether the call needs a user id' },
}
const TOOL_ERROR = objectOf({
  'message': TEXT,
  ...fields(TEXT, 'developer_message?', 'additional_prompt_content?'),
  'can_retry?': FLAG,
  'retry_after_ms?': COUNT,
})
const AUTHORIZATION_STATUS = { enum: ['not_started', 'pending', 'completed', 'failed'] }
const NEEDS_SETUP = { ...TEXTS, description: 'Providers that are not set up, whose links lead nowhere yet' }

export const COMPONENTS = {
  Error: objectOf({
    ...fields(TEXT, '$schema?', 'message', 'developer_message?'),
    'errors?': PROBLEMS,
    'parameter_errors?': { type: 'object', additionalProperties: TEXT },
    'missing_requirements?': objectOf({ ...MISSING, 'needs_setup?': NEEDS_SETUP }),
    'suggestions?': TEXTS,
    'can_retry?': FLAG,
    'additional_prompt_content?': TEXT,
    'retry_after_ms?': COUNT,
  }),
  JsonRpcError: objectOf({
    'jsonrpc': { const: '2.0' },
    'id': { type: ['string', 'number', 'null'] },
    'error': objectOf({ 'code': { type: 'integer' }, 'message': TEXT, 'data?': ANY }),
  }),
  WorkerError: objectOf({ 'detail': TEXT, 'message': TEXT, 'developer_message?': TEXT }),
  WorkerHealth: objectOf({
    'status': TEXT,
    ...fields(TEXT, 'tool_count?', 'tool_definitions_hash?'),
    'started_at': TIME,
  }),
  WorkerResponse: objectOf({
    '$schema?': TEXT,
    'execution_id': TEXT,
    'success': FLAG,
    'duration?': NUMBER,
    'finished_at': TIME,
    'output?': {
      oneOf: [
        objectOf({ value: ANY }),
        objectOf({ error: TOOL_ERROR }),
        objectOf({
          requires_authorization: objectOf({
            ...fields(TEXT, 'id', 'url?'),
            'scopes?': TEXTS,
            'status': AUTHORIZATION_STATUS,
          }),
        }),
        objectOf({
          artifact: objectOf({
            ...fields(TEXT, 'url', 'content_type'),
            size: COUNT,
            meta: objectOf({ description: TEXT }),
          }),
        }),
      ],
    },
  }),
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
    ...fields(TEXT, 'id', 'name', 'issuer?', 'authorization_endpoint?', 'token_endpoint?', 'revocation_endpoint?'),
    ...fields(TEXT, 'client_id', 'client_secret_name?', 'token_endpoint_auth_method?'),
    'authorization_parameters?': OBJECT,
    'extra_scopes?': TEXTS,
    'scope_separator?': TEXT,
    'tools?': TEXTS,
    'built_in?': FLAG,
  }),
  Client: objectOf({
    ...fields(TEXT, 'client_id', 'client_secret?', 'name'),
    'redirect_uris': TEXTS,
    'token_endpoint_auth_method': TEXT,
    'created_at': TIME,
  }),
  Session: objectOf({
    ...fields(TEXT, 'id', 'principal', 'user_id?', 'origin', 'browser'),
    ...fields(TIME, 'created_at', 'expires_at'),
  }),
  Agent: objectOf({
    ...fields(TEXT, 'id', 'principal'),
    'client': OBJECT,
    ...fields(TEXTS, 'toolkits', 'scopes'),
    'origin': TEXT,
    ...fields(TIME, 'created_at', 'expires_at', 'used_at?'),
  }),
  Grant: objectOf({
    ...fields(TEXT, 'provider', 'account'),
    'scopes': TEXTS,
    ...fields(TIME, 'granted_at', 'expires_at?'),
    'refreshable': FLAG,
    'toolkits': listOf(OBJECT),
  }),
  Authorization: objectOf({
    ...fields(TEXT, 'id', 'provider', 'user_id?'),
    'scopes': TEXTS,
    ...fields(TEXT, 'status', 'reason?'),
    'expires_at': TIME,
  }),
  Toolkit: objectOf({
    'toolkit': TEXT,
    'owner': { type: ['string', 'null'] },
    'bundled': FLAG,
    'untrusted': ANY,
    ...fields(TEXT, 'status', 'message?', 'successor?', 'description?'),
    'tags': TEXTS,
    'review': FLAG,
    ...fields(TIME, 'deleted_at?', 'kept_until?'),
  }),
  ToolkitSummary: objectOf({ 'toolkit': TEXT, 'description?': TEXT, 'tools': COUNT, 'security_level': COUNT }),
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
    ...fields(TEXT, 'message?', 'successor?'),
    'publisher?': { type: ['string', 'null'] },
    'trusted?': FLAG,
  }),
  VersionHistory: objectOf({
    ...fields(TEXT, 'id', 'version', 'status', 'digest', 'dialect?', 'compared_with?', 'message?', 'successor?'),
    'security_level?': COUNT,
    'approval?': FLAG,
    'tags?': TEXTS,
    'changes?': listOf(OBJECT),
  }),
  Readiness: objectOf({
    ...fields(TEXT, 'tool', 'title?', 'icon?'),
    'ready': FLAG,
    'status': objectOf({ state: TEXT }),
    'user_id?': TEXT,
    'problems': listOf(objectOf({ 'type': TEXT, 'message': TEXT, 'developer_message?': TEXT })),
    'missing_requirements?': objectOf({
      ...MISSING,
      'authorization?': listOf(objectOf({ ...CHALLENGE, 'needs_setup?': { const: true } })),
    }),
    'context?': ANY,
    'shared?': { const: true },
    'upstreams?': listOf(OBJECT),
  }),
  Tools: objectOf({
    '$schema?': TEXT,
    'items': listOf(ANY),
    'losses?': listOf(OBJECT),
    'total?': COUNT,
    'unmatched?': TEXTS,
    'next_cursor?': TEXT,
  }),
  CallResult: objectOf({
    '$schema?': TEXT,
    'result': {
      ...objectOf({
        'call_id': TEXT,
        'success': FLAG,
        'duration': NUMBER,
        'value?': ANY,
        'error?': TOOL_ERROR,
      }),
      oneOf: [{ properties: { success: { const: true } } }, { required: ['error'] }],
    },
    'artifact?': OBJECT,
  }),
  CallRecord: objectOf({
    'at': TIME,
    ...fields(TEXT, 'call_id', 'principal', 'principal_name?', 'user_id?', 'tool', 'digest?', 'dialect', 'outcome'),
    'duration_ms': NUMBER,
    'upstream_status?': COUNT,
    ...fields(TEXT, 'trace_id?', 'traceparent?'),
    'arguments?': OBJECT,
  }),
  Calls: objectOf({ 'items': listOf(ref('CallRecord')), 'next_cursor?': TEXT }),
  AuditEntry: objectOf({
    'at': TIME,
    ...fields(TEXT, 'act', 'principal?', 'principal_name?', 'user_id?', 'method', 'path', 'outcome', 'address?'),
    'status': COUNT,
    'about?': OBJECT,
  }),
  AuditLog: objectOf({ 'items': listOf(ref('AuditEntry')), 'next_cursor?': TEXT }),
  UsageGroup: objectOf({
    group: OBJECT,
    ...fields(COUNT, 'calls', 'failures'),
    ...fields(NUMBER, 'mean_ms', 'p50_ms', 'p95_ms', 'p99_ms'),
  }),
  Usage: objectOf({ since: TIME, until: TIME, by: TEXTS, items: listOf(ref('UsageGroup')), lost: COUNT }),
  Health: objectOf({ 'status': { enum: ['ok', 'unavailable'] }, 'message?': TEXT }),
  Upload: objectOf({ 'handle': TEXT, 'size': COUNT, 'content_type': TEXT, 'filename?': TEXT, 'expires_at': TIME }),
} as const satisfies Readonly<Record<string, JsonObject>>
