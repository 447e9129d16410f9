import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The official SDK's way to serve one tool: a server a request, stateless, both eras. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' })
  const inputSchema = z.object({ a: z.number(), b: z.number() })
  server.registerTool('Calculator_Add', { description: 'Adds two numbers together.', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  return server
})

export default {
  fetch(request: Request): Response | Promise<Response> {
    return request.method === 'GET' ? Response.json({ status: 'ok' }) : handler.fetch(request)
  },
}
