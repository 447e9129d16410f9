import type { ReferenceWords } from '../../docs/docs.ts'

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
const NUMBERS = { a: 1, b: 2 }
const TEXT = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The text to reverse' } },
  required: ['text'],
}
const REVERSE = {
  id: 'Text.Reverse@1.0.0',
  name: 'Text_Reverse',
  description: 'Reverses a text.',
  version: '1.0.0',
  input_schema: TEXT,
  output_schema: { type: 'string' },
}
const CODE = { kind: 'code', module: 'export default ({ text }) => [...text].reverse().join("")' }
const PETS = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://pets.example' }],
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'All pets' } } } } },
}
const RESULT = { call_id: 'c_7f3a', success: true, duration: 2, value: 3 }
const SUMMARY = { id: 'Text.Reverse@1.0.0', name: 'Text_Reverse', description: 'Reverses a text.', version: '1.0.0' }
const OVER_MCP = {
  body: { ...CALL, params: { name: 'Calculator_Add', arguments: NUMBERS } },
  answer: {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '3' }], structuredContent: { result: 3 } },
  },
}
const MACHINE = {
  id: 'Words',
  name: 'Words',
  version: '1.0.0',
  description: 'Works with words',
  capabilities: [
    {
      name: 'Count',
      description: 'Counts words',
      parameters: [{ name: 'text', description: 'The text', type: 'string', required: true }],
      return: { description: 'The number of words', schema: { type: 'number' } },
    },
  ],
}
const AS_PLUGIN = { name: 'Calculator_Add', description: 'Adds two numbers together.', inputSchema: { type: 'object' } }
const DESCRIBED = { parameters: { toolkit: 'Calculator' }, answer: { tools: [AS_PLUGIN] } }

/** Requests and answers that no field's example makes. A test sends each to a deployment. */
export const EXAMPLES: ReferenceWords['examples'] = {
  'GET /tools': {
    parameters: { q: 'reverse a text', limit: '1', format: 'summary' },
    answer: { items: [SUMMARY], total: 1 },
  },
  'POST /tools': { body: { definition: REVERSE, implementation: CODE } },
  'GET /tools/{id}': { answer: REVERSE },
  'GET /tools/{id}/implementation': { answer: CODE },
  'PATCH /tools/{id}': { body: { status: 'deprecated', message: 'Models reverse texts by themselves' } },
  'POST /tools/call': {
    body: { tool_id: 'Calculator.Add', input: NUMBERS },
    answer: { $schema: 'urn:oxp:1.0', result: RESULT },
  },
  'POST /convert': {
    parameters: { to: 'mcp' },
    body: REVERSE,
    answer: {
      document: { name: 'Text_Reverse', description: 'Reverses a text.', inputSchema: TEXT },
      losses: [{ path: '/version', reason: 'An MCP tool has no version: publish it with ?version=' }],
    },
  },
  'POST /toolkits/import': { body: { from: { openapi: PETS }, toolkit: 'Pets' } },
  'PUT /toolkits/{toolkit}': { body: { owner: 'admin' } },
  'PATCH /toolkits/{toolkit}': { body: { tags: ['text'], description: 'Works with texts' } },
  'PUT /toolkits/{toolkit}/plugin': { parameters: { toolkit: 'Weather', version: '1.0.0' }, sends: '@weather.wasm' },
  'POST /artifacts': { parameters: { filename: 'report.txt' }, sends: '@report.txt' },
  'GET /usage': { parameters: { by: 'tool' } },
  'POST /keys': { body: { name: 'Support agent', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'] } },
  'PATCH /keys/{id}': { body: { limits: { rate: { calls: 100, seconds: 60 } } } },
  'POST /keys/{id}/rotate': { body: { overlap_seconds: 3_600 } },
  'PUT /policies/{pattern}': { body: { timeout_ms: 30_000, limits: { rate: { calls: 100, seconds: 60 } } } },
  'PUT /providers/{id}': { body: { issuer: 'https://login.acme.com', client_id: 'c_51' } },
  'POST /authorizations/{id}/confirm': { body: { flow: 'f_3c', user_id: 'ann' } },
  'POST /clients': { body: { name: 'My agent', redirect_uris: ['https://agent.example/callback'] } },
  'POST /connect/register': {
    body: {
      client_name: 'My agent',
      redirect_uris: ['https://agent.example/callback'],
      token_endpoint_auth_method: 'none',
    },
  },
  'POST /connect/token': {
    sends: 'grant_type=refresh_token&client_id=c_51&refresh_token=rt_5b',
    answer: { access_token: 'at_9f', token_type: 'bearer', expires_in: 3_600 },
  },
  'POST /mcp': OVER_MCP,
  'POST /connect/mcp': OVER_MCP,
  'GET /oxp/tools': { parameters: { toolkit: 'Calculator' }, answer: { items: [REVERSE] } },
  'POST /oxp/tools/call': {
    body: { request: { tool_id: 'Calculator.Add', input: NUMBERS } },
    answer: { $schema: 'urn:oxp:1.0', result: RESULT },
  },
  'GET /machine-context/tools': { parameters: { toolkit: 'Words' }, answer: { tools: [MACHINE] } },
  'POST /machine-context/tools': { body: MACHINE, answer: { ids: ['Words.Count@1.0.0'] } },
  'POST /machine-context/execute': {
    body: {
      header: { version: '1.0', messageId: 'm_1', messageType: 'request' },
      payload: { tool: { id: 'Calculator', capability: 'Add', parameters: NUMBERS } },
    },
    answer: {
      header: { version: '1.0', messageId: 'm_2', messageType: 'response', requestId: 'm_1' },
      payload: { tool: { id: 'Calculator', capability: 'Add' }, execution: { status: 'success', result: 3 } },
    },
  },
  'GET /worker/tools': { answer: [{ name: 'Add', fully_qualified_name: 'Calculator.Add@1.0.0' }] },
  'POST /worker/tools/invoke': {
    body: { tool: { name: 'Add', toolkit: 'Calculator' }, inputs: NUMBERS },
    answer: { execution_id: 'e_1', duration: 2, success: true, output: { value: 3 } },
  },
  'GET /plugin/describe': DESCRIBED,
  'POST /plugin/describe': DESCRIBED,
  'POST /plugin/call': {
    body: { params: { name: 'Calculator.Add', arguments: NUMBERS } },
    answer: { content: [{ type: 'text', text: '3' }] },
  },
  'POST /import': { sends: '@registry.jsonl' },
}
