export interface DialectCall {
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Writes the same call in each dialect. The input is JSON text, which each contains unchanged. */
export function dialectCalls(id: string, input: string, name = id.replace('.', '_')) {
  const [toolkit = '', tool = ''] = id.split('.')
  const at = new Date().toISOString()
  const header = `{"version":"1.0","messageId":"${crypto.randomUUID()}","timestamp":"${at}","messageType":"request","source":"c","destination":"s"}`
  const named = `{"name":"${name}","arguments":${input}}`
  return {
    'oxp': { path: '/tools/call', body: `{"tool_id":"${id}","input":${input}}` },
    'open-tool-calling': {
      path: '/worker/tools/invoke',
      body: `{"execution_id":"${crypto.randomUUID()}","tool":{"name":"${tool}","toolkit":"${toolkit}","version":"1.0.0"},"inputs":${input},"context":{}}`,
    },
    'machine-context': {
      path: '/machine-context/execute',
      body: `{"header":${header},"payload":{"tool":{"id":"${toolkit}","capability":"${tool}","parameters":${input}},"context":{},"security":{}}}`,
    },
    'plugin': { path: '/plugin/call', body: `{"params":${named}}` },
    'mcp': {
      path: '/mcp',
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${named}}`,
      headers: { accept: 'application/json, text/event-stream' },
    },
  } satisfies Record<string, DialectCall>
}
