import { McpServer } from '@modelcontextprotocol/server'
import { createMcpHandler } from 'agents/mcp/server'
import { z } from 'zod'

const numbers = z.object({ a: z.number(), b: z.number() })

/** Cloudflare's agent kit without sessions. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'agents', version: '1.0.0' })
  server.registerTool('Calculator_Add', { inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  return server
})

export default {
  fetch(request: Request): Response | Promise<Response> {
    if (request.method === 'GET') return Response.json({ status: 'ok' })
    return handler.fetch(request)
  },
}
