import type { Json, JsonObject } from '../../src/core/tool/json.ts'

/** Valid inputs, which are changed until they are invalid. */

const INPUT = { a: 10, b: 5, to: 'ann', list: [1, { x: null }] }
export const OXP_CALL = {
  tool_id: 'Calculator.Add@^1.0',
  call_id: 'c1',
  trace_id: 't1',
  input: INPUT,
  context: {
    authorization: [{ id: 'google', token: 'tok' }],
    secrets: [{ id: 'KEY', value: 's' }],
    user_id: 'ann',
  },
}
export const RFC_CALL = {
  $schema: 'https://github.com/OpenToolCalling/Specification/tree/main/spec/tool/request/0.1/schema.json',
  run_id: 'r1',
  execution_id: 'e1',
  created_at: '2026-01-01T00:00:00Z',
  tool: { name: 'Add', toolkit: 'Calculator', version: '1.0.0' },
  inputs: INPUT,
  context: {
    authorization: { token: 'tok', user_info: { sub: 'ann' } },
    secrets: { KEY: 's' },
    user_id: 'ann',
    user_info: {},
  },
}
export const { $schema: _, ...RFC_BARE } = RFC_CALL
export const MESSAGE = {
  header: {
    version: '1.0',
    messageId: 'm1',
    timestamp: '2026-01-01T00:00:00Z',
    messageType: 'request',
    source: 'me',
    destination: 'you',
  },
  payload: {
    tool: { id: 'calculator', capability: 'add', parameters: INPUT, version: '1.0.0' },
    context: { request_id: 'r', session_id: 's', user_id: 'ann', locale: 'de' },
    security: {},
  },
}
export const PLUGIN_CALL = {
  method: 'tools/call',
  params: { name: 'add', arguments: INPUT, _meta: { 'dev.switchboard/context': { user_info: {} } } },
}
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const MCP_PARAMS = {
  name: 'Calculator_Add',
  arguments: INPUT,
  inputResponses: { one: { action: 'accept', content: {} } },
  requestState: 'sealed',
  _meta: {
    [VERSION_KEY]: '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
    'io.modelcontextprotocol/logLevel': 'info',
    'dev.switchboard/call_id': 'c1',
    'dev.switchboard/context': { user: 'ann' },
    'dev.switchboard/version': '^1',
    'progressToken': 'p',
    'traceparent': '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
}
const rpc = (method: string, params: Json = {}, id: Json = 1) => ({ jsonrpc: '2.0', id, method, params })
export const MCP_MESSAGES: readonly Json[] = [
  rpc('tools/call', MCP_PARAMS),
  rpc('tools/call', { name: 'echo', arguments: INPUT }, 'an id'),
  rpc('tools/list', { cursor: 'more', _meta: MCP_PARAMS._meta }),
  rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'n', version: '1' } }),
  rpc('server/discover', { _meta: MCP_PARAMS._meta }),
  rpc('ping'),
  rpc('completion/complete', { ref: {} }),
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, result: {} },
  [
    rpc('ping'),
    rpc('tools/call', { name: 'echo', arguments: INPUT }, 2),
    { jsonrpc: '2.0', method: 'notifications/x' },
  ],
]

export const IMPLEMENTATIONS: readonly JsonObject[] = [
  {
    kind: 'http',
    method: 'POST',
    url: 'https://api.example.com/v1/{a}/notes',
    parameters: [
      { input: 'a', in: 'path', name: 'a' },
      { input: 'b', in: 'query', name: 'max', style: 'form', explode: true },
    ],
    headers: { 'x-one': '1' },
    credentials: [{ secret: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
    body: { type: 'json' },
    response: { type: 'json', pointer: '/data', statuses: [200, '2xx'] },
    retry: { attempts: 1 },
    timeout_ms: 30_000,
  },
  {
    kind: 'remote',
    protocol: 'mcp',
    url: 'https://mcp.example.com/mcp',
    tool: 'add',
    credentials: [{ secret: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
  },
  { kind: 'code', module: 'export default async () => 1', allowed_hosts: ['api.example.com'], credentials: [] },
  { kind: 'wasm', blob: 'a'.repeat(64), tool: 'add', allowed_hosts: [], config: { key: 'KEY' } },
]
export const DEFINITION: JsonObject = {
  id: 'Kit.Do@1.0.0',
  name: 'Kit_Do',
  description: 'Does it',
  version: '1.0.0',
  input_schema: {
    parameters: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 0 } },
      required: ['a'],
    },
  },
  output_schema: { type: 'object', properties: { c: { type: 'array', items: { type: 'number' } } } },
  requirements: { secrets: [{ id: 'KEY' }] },
}
export const OPENAPI: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'An API', version: '1.2.3' },
  servers: [{ url: 'https://{host}.example.com/v1', variables: { host: { default: 'api', enum: ['api', 'eu'] } } }],
  security: [{ key: [] }],
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getThing',
        summary: 'Gets a thing',
        tags: ['things'],
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { $ref: '#/components/schemas/Thing' },
          },
          { name: 'x-trace', in: 'header', content: { 'application/json': { schema: { type: 'object' } } } },
        ],
        responses: {
          '200': {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
        },
      },
      put: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
        responses: { default: { $ref: '#/components/responses/Done' } },
        security: [{ oauth: ['write'] }],
      },
    },
    '/files': {
      post: {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
            },
          },
        },
        responses: { '204': { description: 'none' } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', readOnly: true },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          kind: { oneOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
        },
      },
    },
    responses: { Done: { description: 'done', content: { 'text/plain': { schema: { type: 'string' } } } } },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://a.example/a',
            tokenUrl: 'https://a.example/t',
            scopes: { write: '' },
          },
        },
      },
    },
  },
}
export const SWAGGER: JsonObject = {
  swagger: '2.0',
  info: { title: 'Old', version: '1.0' },
  host: 'api.example.com',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  paths: {
    '/pets': {
      post: {
        operationId: 'addPet',
        parameters: [
          { name: 'body', in: 'body', schema: { $ref: '#/definitions/Pet' } },
          { name: 'ids', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'pipes' },
        ],
        responses: { '200': { description: 'ok', schema: { $ref: '#/definitions/Pet' } } },
      },
    },
  },
  definitions: {
    Pet: { type: 'object', properties: { name: { type: 'string', 'x-nullable': true } }, discriminator: 'name' },
  },
  securityDefinitions: { basic: { type: 'basic' } },
}
export const YAML = `openapi: 3.0.3
info: {title: T, version: '1.0.0'}
servers:
  - url: &base https://api.example.com
paths:
  /a/{b}:
    get:
      operationId: getA
      description: |
        Several
        lines
      parameters:
        - {name: b, in: path, required: true, schema: {type: string, example: *base}}
      responses:
        '200': {description: "ok \\u00e9"}
`

export const KEY = {
  name: 'an agent',
  scopes: ['tools:read', 'tools:call'],
  tools: ['Gmail.*', 'SMS.Send', '*'],
  users: ['ann', 'bob'],
  expires_at: '2030-01-31T12:00:00+01:00',
}
export const PROVIDER = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://id.acme.example',
  authorization_endpoint: 'https://id.acme.example/authorize',
  token_endpoint: 'https://id.acme.example/token',
  revocation_endpoint: 'https://id.acme.example/revoke',
  client_id: 'c1',
  client_secret_name: 'ACME_SECRET',
  token_endpoint_auth_method: 'client_secret_basic',
  authorization_parameters: { access_type: 'offline' },
  extra_scopes: ['offline_access'],
  scope_separator: ' ',
  tools: ['Acme.*'],
  identity_assertion: { audience: 'https://id.acme.example', resource: 'https://acme.example', toolkits: ['Acme'] },
}
export const IMPORT = {
  from: { openapi: { openapi: '3.1.0', paths: {} } },
  toolkit: 'Acme',
  version: '1.0.0',
  tools: ['get*', 'put'],
  credentials: { key: { secret: 'KEY' } },
}
export const CLAIMS = {
  sub: 'ann',
  scope: 'tools:read tools:call',
  scopes: ['admin'],
  tools: ['Gmail.*'],
  users: 'any',
  iss: 'https://issuer.example',
  exp: 2_000_000_000,
}
