import type { Answer } from '../e2e/json.ts'
import type { RunningServer } from '../e2e/server.ts'

export const ADMIN_KEY = 'admin-key-of-the-attacks-0123456789'
export const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
export type Headers = Readonly<Record<string, string>>

/** Creates a key. Returns its id, and the headers that send it. */
export async function keyOf(
  server: RunningServer,
  tools: readonly string[],
  more: object = {},
): Promise<{ readonly id: string; readonly as: Headers }> {
  const scopes = ['tools:read', 'tools:call', 'tools:publish']
  const { status, body } = await server.json('POST', '/keys', { name: 'k', scopes, tools, ...more }, asAdmin)
  if (status !== 201) throw new Error(`Cannot make a key: ${JSON.stringify(body)}`)
  return { id: body.id, as: { authorization: `Bearer ${body.key}` } }
}

const parameters = [{ name: 'text', description: 'The text.', type: 'string' }]
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }

/** Writes the same tool in each dialect, with extra fields beside the document. */
export function documents(toolkit: string, tool: string, version: string, beside: object = {}) {
  const given = { toolkit, version, ...beside }
  const description = 'Sends what it is given'
  return {
    'oxp': {
      definition: {
        id: `${toolkit}.${tool}@${version}`,
        name: `${toolkit}_${tool}`,
        description,
        version,
        input_schema: { parameters: inputSchema },
        output_schema: {},
      },
      ...beside,
    },
    'open-tool-calling': {
      definition: {
        name: tool,
        fully_qualified_name: `${toolkit}.${tool}@${version}`,
        description,
        toolkit: { name: toolkit, version },
        input: { parameters: [] },
        output: { available_modes: ['value', 'error'], value_schema: { val_type: 'json' } },
      },
      ...beside,
    },
    'machine-context': {
      definition: {
        id: toolkit,
        name: toolkit,
        version,
        description,
        capabilities: [{ name: tool, description, parameters }],
      },
      ...beside,
    },
    'a machine-context document of another id': {
      definition: {
        id: `made-up-for-${toolkit}`,
        name: toolkit,
        version,
        description,
        capabilities: [{ name: tool, description, parameters }],
      },
      ...given,
    },
    'plugin': { definition: { tools: [{ name: tool, description, inputSchema }] }, ...given },
    'mcp': { definition: { name: tool, description, inputSchema }, ...given },
  }
}

/** Builds a call of a tool in each dialect. */
export function calls(server: RunningServer, toolkit: string, tool: string, as: Headers) {
  const header = { version: '1.0', messageId: 'm1', messageType: 'request', timestamp: new Date().toISOString() }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': `${toolkit}_${tool}` }
  const accept = { accept: 'application/json, text/event-stream' }
  return {
    'oxp': () => server.json('POST', '/tools/call', { tool_id: `${toolkit}.${tool}`, input: {} }, as),
    'oxp, flat': () => server.json('POST', '/oxp/tools/call', { tool_id: `${toolkit}.${tool}`, input: {} }, as),
    'open-tool-calling': () =>
      server.json('POST', '/worker/tools/invoke', { tool: { name: tool, toolkit }, inputs: {} }, as),
    'machine-context': () => {
      const payload = { tool: { id: toolkit, capability: tool, parameters: {} }, context: {} }
      return server.json('POST', '/machine-context/execute', { header, payload }, as)
    },
    'plugin': () =>
      server.json('POST', '/plugin/call', { method: 'tools/call', params: { name: `${toolkit}_${tool}` } }, as),
    'mcp 2025-06-18': () =>
      server.json(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `${toolkit}_${tool}`, arguments: {} } },
        { ...as, ...accept, 'mcp-protocol-version': '2025-06-18' },
      ),
    'mcp 2026-07-28': () =>
      server.json(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `${toolkit}_${tool}`, _meta: meta } },
        { ...as, ...accept, ...modern },
      ),
  } satisfies Record<string, () => Promise<Answer>>
}
