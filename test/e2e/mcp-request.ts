interface McpOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The capabilities that the client declares. */
  readonly capabilities?: object
  readonly signal?: AbortSignal | undefined
}

/** Posts one MCP message of 2026-07-28, which has no sessions. */
export function fetchMcp(
  { url }: { readonly url: string },
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { path = '/mcp', headers = {}, capabilities = {}, signal }: McpOptions = {},
): Promise<Response> {
  const name = params['taskId'] ?? params['uri'] ?? params['name']
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...Object(params['_meta']),
  }
  return fetch(new URL(path, url), {
    method: 'POST',
    signal: signal ?? null,
    headers: {
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
}

/** Sends a message and returns its response, whose contents tests check. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function sendMcp(...request: Parameters<typeof fetchMcp>): Promise<any> {
  return (await fetchMcp(...request)).json()
}

/** Capabilities of a client that accepts tasks and can ask its person. */
export const TAKES_TASKS = {
  elicitation: { form: {}, url: {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
}
