import { lockReader } from '../../core/access/tool-lock.ts'
import { toolsetReader } from '../../core/access/toolset.ts'
import { policyReader } from '../../core/access/policy.ts'
import { NEEDS } from '../../core/call/readiness-need.ts'
import { credentialProviderReader } from '../../core/consent/credential-provider-reader.ts'
import { oauthProviderReader } from '../../core/consent/provider-reader.ts'
import { EVENT_SOURCE_KINDS } from '../../core/event/event-source.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { SEVERITIES } from '../../core/publish/findings/finding.ts'
import { type Reader, toJsonSchema } from '../../core/tool/json-reader.ts'
import { ANY, arraySchema, OBJECT, objectSchema, ref, TEXT, TEXTS } from '../../http/route/response-specs.ts'

const FLAG: JsonObject = { type: 'boolean' }
const COUNT: JsonObject = { type: 'integer', minimum: 0 }
const NUMBER: JsonObject = { type: 'number' }
const TIME: JsonObject = { type: 'string', format: 'date-time' }
const TIME_OR_NULL: JsonObject = { type: ['string', 'null'], format: 'date-time' }

function fields(schema: JsonObject, ...names: readonly string[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(names.map((name) => [name, schema]))
}

/** Builds the schema of a resource from its reader's fields and other fields. */
function resourceSchema(
  reader: Reader<unknown>,
  others: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
) {
  const { properties } = toJsonSchema(reader)
  return { type: 'object', properties: { ...Object(properties), ...others }, required }
}

const PROBLEMS = arraySchema(objectSchema({ path: TEXT, message: TEXT }))
const WARNINGS = arraySchema(objectSchema({ message: TEXT }))
const NEED: JsonObject = { enum: [...NEEDS] }
const READINESS_PROBLEMS = arraySchema(
  objectSchema({ 'type': TEXT, 'needs': NEED, 'message': TEXT, 'developer_message?': TEXT }),
)
const KEY = {
  ...fields(TEXT, 'id', 'name', 'prefix?'),
  ...fields(TEXTS, 'scopes', 'tools'),
  'users': { anyOf: [{ const: 'any' }, TEXTS] },
  ...fields(TIME, 'created_at', 'expires_at?', 'previous_expires_at?'),
  'limits?': OBJECT,
  ...fields(TEXT, 'toolset?', 'lock?'),
  'record_arguments?': FLAG,
}
const REPORT = { 'dialect?': TEXT, 'left_out?': TEXTS, 'pending?': TEXTS, 'warnings?': WARNINGS }
const TOOLSET = { ...fields(TEXT, 'name', 'owner', 'digest', 'changed_by'), revision: COUNT, changed_at: TIME }
const GRANT = {
  ...fields(TEXT, 'provider', 'account'),
  scopes: TEXTS,
  ...fields(TIME, 'granted_at', 'expires_at?'),
  refreshable: FLAG,
  toolkits: arraySchema(OBJECT),
}
const CHALLENGE = { 'id': TEXT, 'url?': TEXT, 'check_url?': TEXT }
const MISSING = {
  'authorization?': arraySchema(objectSchema(CHALLENGE)),
  'tokens?': arraySchema(objectSchema({ id: TEXT })),
  'secrets?': arraySchema(objectSchema({ id: TEXT })),
  'user_id?': { ...FLAG, description: 'Whether the call needs a user id' },
}
const TOOL_ERROR = objectSchema({
  'message': TEXT,
  ...fields(TEXT, 'developer_message?', 'additional_prompt_content?'),
  'can_retry?': FLAG,
  'retry_after_ms?': COUNT,
})
const AUTHORIZATION_STATUS = { enum: ['not_started', 'pending', 'completed', 'failed'] }
const NEEDS_SETUP = { ...TEXTS, description: 'Providers that are not set up, whose links lead nowhere yet' }

export const COMPONENTS = {
  Error: objectSchema({
    ...fields(TEXT, '$schema?', 'message', 'developer_message?'),
    'errors?': PROBLEMS,
    'parameter_errors?': { type: 'object', additionalProperties: TEXT },
    'missing_requirements?': objectSchema({ ...MISSING, 'needs_setup?': NEEDS_SETUP }),
    'suggestions?': TEXTS,
    'can_retry?': FLAG,
    'additional_prompt_content?': TEXT,
    'retry_after_ms?': COUNT,
  }),
  JsonRpcError: objectSchema({
    'jsonrpc': { const: '2.0' },
    'id': { type: ['string', 'number', 'null'] },
    'error': objectSchema({ 'code': { type: 'integer' }, 'message': TEXT, 'data?': ANY }),
  }),
  WorkerError: objectSchema({ 'detail': TEXT, 'message': TEXT, 'developer_message?': TEXT }),
  WorkerHealth: objectSchema({
    'status': TEXT,
    ...fields(TEXT, 'tool_count?', 'tool_definitions_hash?'),
    'started_at': TIME,
  }),
  WorkerResponse: objectSchema({
    '$schema?': TEXT,
    'execution_id': TEXT,
    'success': FLAG,
    'duration?': NUMBER,
    'finished_at': TIME,
    'output?': {
      oneOf: [
        objectSchema({ value: ANY }),
        objectSchema({ error: TOOL_ERROR }),
        objectSchema({
          requires_authorization: objectSchema({
            ...fields(TEXT, 'id', 'url?'),
            'scopes?': TEXTS,
            'status': AUTHORIZATION_STATUS,
          }),
        }),
        objectSchema({
          artifact: objectSchema({
            ...fields(TEXT, 'url', 'content_type'),
            size: COUNT,
            meta: objectSchema({ description: TEXT }),
          }),
        }),
      ],
    },
  }),
  CallToolResult: objectSchema({
    'content': arraySchema(OBJECT),
    'isError?': FLAG,
    'structuredContent?': OBJECT,
    '_meta?': OBJECT,
  }),
  MachineContextError: objectSchema({ header: OBJECT, error: objectSchema({ code: TEXT, message: TEXT }) }),
  RegistryError: objectSchema({ error: TEXT }),
  OAuthError: objectSchema({ 'error': TEXT, 'error_description?': TEXT }),
  Key: objectSchema({ ...KEY, 'last_used_at?': TIME, 'published?': OBJECT }),
  NewKey: objectSchema({ ...KEY, key: TEXT }),
  Policy: resourceSchema(policyReader(), { pattern: TEXT, warnings: WARNINGS }, ['pattern']),
  Provider: {
    anyOf: [
      resourceSchema(oauthProviderReader(''), { id: TEXT, built_in: FLAG }, ['id', 'name', 'client_id']),
      resourceSchema(
        credentialProviderReader('', () => undefined),
        { id: TEXT },
        ['id', 'name', 'kind'],
      ),
    ],
  },
  EventSource: {
    anyOf: Object.values(EVENT_SOURCE_KINDS).map((reader) => resourceSchema(reader, { id: TEXT }, ['id', 'kind'])),
  },
  SubscriptionGrant: objectSchema({ ...fields(TEXT, 'id', 'cursor'), refresh_before: TIME_OR_NULL, truncated: FLAG }),
  Subscription: objectSchema({
    ...fields(TEXT, 'id', 'name', 'url', 'last_failure?'),
    arguments: OBJECT,
    expires_at: TIME_OR_NULL,
    ...fields(TIME, 'created_at', 'next_attempt_at?'),
    ...fields(COUNT, 'waiting', 'dead_letters', 'attempts'),
  }),
  DeadLetter: objectSchema({
    ...fields(TEXT, 'event_id', 'name', 'failure'),
    ...fields(TIME, 'timestamp', 'failed_at'),
  }),
  EventPage: objectSchema({
    events: arraySchema(objectSchema({ ...fields(TEXT, 'id', 'name', 'cursor'), timestamp: TIME, data: OBJECT })),
    cursor: TEXT,
    ...fields(FLAG, 'truncated', 'has_more'),
    next_poll_ms: COUNT,
  }),
  Skill: objectSchema({
    ...fields(TEXT, 'toolkit', 'name', 'status', 'digest'),
    'version': COUNT,
    'frontmatter': OBJECT,
    'resources': arraySchema(objectSchema({ path: TEXT, digest: TEXT, size: COUNT })),
    'files?': OBJECT,
  }),
  Toolset: resourceSchema(
    toolsetReader,
    { ...TOOLSET, tokens: COUNT, pending: OBJECT, warnings: WARNINGS },
    Object.keys(TOOLSET),
  ),
  ToolsetSummary: objectSchema({ ...TOOLSET, 'title?': TEXT, 'enabled': FLAG, 'tool_count': COUNT, 'pending': FLAG }),
  Lock: toJsonSchema(lockReader),
  Client: objectSchema({
    ...fields(TEXT, 'client_id', 'client_secret?', 'name'),
    'redirect_uris': TEXTS,
    'token_endpoint_auth_method': TEXT,
    'created_at': TIME,
  }),
  ScimError: objectSchema({ schemas: TEXTS, ...fields(TEXT, 'status', 'scimType?', 'detail') }),
  Session: objectSchema({
    ...fields(TEXT, 'id', 'principal', 'user_id?', 'origin', 'browser'),
    ...fields(TIME, 'created_at', 'expires_at'),
    'current?': FLAG,
  }),
  User: objectSchema({ user_id: TEXT, ...fields(COUNT, 'accounts', 'agents', 'sessions', 'keys') }),
  Users: objectSchema({ 'items': arraySchema(ref('User')), 'next_cursor?': TEXT }),
  UserAccess: objectSchema({
    user_id: TEXT,
    accounts: arraySchema(ref('Connection')),
    agents: arraySchema(ref('Agent')),
    keys: arraySchema(OBJECT),
  }),
  EndedAccess: objectSchema({
    user_id: TEXT,
    ...fields(COUNT, 'sessions', 'agents', 'accounts', 'authorizations'),
    not_revoked: arraySchema(OBJECT),
    keys: arraySchema(OBJECT),
  }),
  Agent: objectSchema({
    ...fields(TEXT, 'id', 'principal'),
    'client': OBJECT,
    ...fields(TEXTS, 'toolkits', 'scopes'),
    ...fields(TEXT, 'toolset?', 'origin'),
    ...fields(TIME, 'created_at', 'expires_at', 'used_at?'),
  }),
  Grant: objectSchema(GRANT),
  Connection: objectSchema({
    ...GRANT,
    ...fields(TEXT, 'provider_name', 'kind?', 'state', 'reason?', 'answered_as?'),
    ...fields(TIME, 'last_used_at?', 'last_refused_at?'),
  }),
  Authorization: objectSchema({
    ...fields(TEXT, 'id', 'provider', 'user_id?'),
    'scopes': TEXTS,
    ...fields(TEXT, 'status', 'reason?'),
    'expires_at': TIME,
  }),
  Toolkit: objectSchema({
    'toolkit': TEXT,
    'owner': { type: ['string', 'null'] },
    'bundled': FLAG,
    'untrusted': ANY,
    ...fields(TEXT, 'status', 'message?', 'successor?', 'description?'),
    'yanked?': OBJECT,
    'tags': TEXTS,
    'review': FLAG,
    ...fields(TIME, 'deleted_at?', 'kept_until?'),
  }),
  Finding: objectSchema({
    'toolkit': TEXT,
    'tool?': TEXT,
    'kind': { enum: ['changed', 'new', 'gone', 'credential', 'unreachable'] },
    'severity': { enum: [...SEVERITIES] },
    'changes': arraySchema(OBJECT),
    ...fields(TIME, 'since', 'seen'),
  }),
  ToolkitSummary: objectSchema({
    'toolkit': TEXT,
    'description?': TEXT,
    'tools': COUNT,
    'security_level': COUNT,
    'tokens?': COUNT,
  }),
  Published: objectSchema({ ids: TEXTS, ...REPORT }),
  Results: objectSchema({
    results: arraySchema(
      objectSchema({
        'id': { type: ['string', 'null'] },
        'status': { type: 'integer' },
        'ids?': TEXTS,
        'errors?': PROBLEMS,
        ...REPORT,
      }),
    ),
  }),
  Version: objectSchema({
    'id': TEXT,
    'status': { enum: ['active', 'deprecated', 'yanked', 'disabled', 'pending'] },
    ...fields(TEXT, 'message?', 'successor?'),
    'publisher?': { type: ['string', 'null'] },
    'trusted?': FLAG,
  }),
  VersionHistory: objectSchema({
    'publisher?': { type: ['string', 'null'] },
    ...fields(TEXT, 'id', 'version', 'status', 'digest', 'dialect?', 'compared_with?', 'message?', 'successor?'),
    'security_level?': COUNT,
    'approval?': FLAG,
    'tags?': TEXTS,
    'changes?': arraySchema(OBJECT),
  }),
  ReadinessReport: objectSchema({
    'ready': FLAG,
    'needs?': NEED,
    'items': arraySchema({
      anyOf: [ref('Readiness'), objectSchema({ tool: TEXT, ready: FLAG, problems: READINESS_PROBLEMS })],
    }),
  }),
  Readiness: objectSchema({
    ...fields(TEXT, 'tool', 'title?', 'icon?', 'page?'),
    'ready': FLAG,
    'status': objectSchema({ state: TEXT }),
    'user_id?': TEXT,
    'problems': READINESS_PROBLEMS,
    'missing_requirements?': objectSchema({
      ...MISSING,
      'authorization?': arraySchema(objectSchema({ ...CHALLENGE, 'needs_setup?': { const: true } })),
    }),
    'context?': ANY,
    'shared?': { const: true },
    'upstreams?': arraySchema(OBJECT),
  }),
  Tools: objectSchema({
    '$schema?': TEXT,
    'items': arraySchema(ANY),
    'losses?': arraySchema(OBJECT),
    'total?': COUNT,
    'relevant?': COUNT,
    'same_as?': { type: 'object', additionalProperties: TEXT },
    'unmatched?': TEXTS,
    'next_cursor?': TEXT,
  }),
  CallResult: objectSchema({
    '$schema?': TEXT,
    'result': {
      ...objectSchema({
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
  CallRecord: objectSchema({
    'at': TIME,
    ...fields(TEXT, 'call_id', 'principal', 'principal_name?', 'user_id?', 'tool', 'digest?', 'dialect', 'outcome'),
    'duration_ms': NUMBER,
    'upstream_status?': COUNT,
    ...fields(TEXT, 'trace_id?', 'traceparent?'),
    'arguments?': OBJECT,
    'content?': objectSchema({ 'input?': OBJECT, 'output?': ANY, 'error?': TEXT, 'too_large?': TEXTS }),
  }),
  CallTask: objectSchema({
    ...fields(TEXT, 'call_id', 'status', 'status_message?'),
    ...fields(TIME, 'created_at', 'updated_at'),
    'poll_interval_ms': COUNT,
    'input_requests?': OBJECT,
    'result?': OBJECT,
    'artifact?': OBJECT,
    '$schema?': TEXT,
  }),
  CallState: { anyOf: [ref('CallTask'), ref('CallRecord')] },
  Calls: objectSchema({ 'items': arraySchema(ref('CallRecord')), 'next_cursor?': TEXT }),
  AuditEntry: objectSchema({
    'at': TIME,
    ...fields(TEXT, 'act', 'principal?', 'principal_name?', 'user_id?', 'method', 'path', 'outcome', 'address?'),
    'status': COUNT,
    'about?': OBJECT,
  }),
  AuditLog: objectSchema({ 'items': arraySchema(ref('AuditEntry')), 'next_cursor?': TEXT }),
  UsageGroup: objectSchema({
    group: OBJECT,
    ...fields(COUNT, 'calls', 'failures', 'waiting'),
    ...fields(NUMBER, 'mean_ms', 'p50_ms', 'p95_ms', 'p99_ms'),
  }),
  Usage: objectSchema({ since: TIME, until: TIME, by: TEXTS, items: arraySchema(ref('UsageGroup')), lost: COUNT }),
  Health: objectSchema({ 'status': { enum: ['ok', 'unavailable'] }, 'message?': TEXT }),
  Upload: objectSchema({ 'handle': TEXT, 'size': COUNT, 'content_type': TEXT, 'filename?': TEXT, 'expires_at': TIME }),
} as const satisfies Readonly<Record<string, JsonObject>>
