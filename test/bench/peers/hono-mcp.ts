import { StreamableHTTPTransport } from '@hono/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Hono } from 'hono'
import { z } from 'zod'

const numbers = { a: z.number(), b: z.number() }

/** Hono's transport without sessions: a server and a transport a request, as its documentation has it. */
const app = new Hono()
app.get('/health', (c) => c.json({ status: 'ok' }))
app.post('/mcp', async (c) => {
  const server = new McpServer({ name: 'hono-mcp', version: '1.0.0' })
  server.registerTool('Calculator_Add', { inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(c)
})

export default app
