import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const numbers = z.object({ a: z.number(), b: z.number() })
const query = z.object({ query: z.string(), limit: z.int().optional(), kind: z.enum(['a', 'b', 'c']).optional() })

/** The official SDK's way to serve tools without sessions: a server a request, in both revisions. Schemas are made once. */
function serving(tools: number): ReturnType<typeof createMcpHandler> {
  return createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' })
    const add = { description: 'Adds two numbers together.', inputSchema: numbers }
    server.registerTool('Calculator_Add', add, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }))
    for (let index = 1; index < tools; index++) {
      const declared = { description: `Does the thing number ${index}.`, inputSchema: query }
      server.registerTool(`Bench_Tool${index}`, declared, () => ({ content: [] }))
    }
    return server
  })
}

let handler: ReturnType<typeof serving> | undefined

export default {
  fetch(request: Request, env: { readonly TOOLS?: string }): Response | Promise<Response> {
    if (request.method === 'GET') return Response.json({ status: 'ok' })
    handler ??= serving(Number(env.TOOLS ?? 1))
    return handler.fetch(request)
  },
}
