import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

export interface ToolCalling {
  readonly signal: AbortSignal
  readonly headers: IncomingMessage['headers']
  readonly meta: Readonly<Record<string, unknown>>
  progress(progress: number, total: number, message: string): Promise<void>
  readonly log?: ((data: string) => Promise<void>) | undefined
  /** Asks the client over the connection, which was possible before 2026-07-28; otherwise undefined. */
  readonly ask?: ((message: string) => Promise<unknown>) | undefined
}

export interface UpstreamTool {
  readonly definition: { readonly name: string; readonly [key: string]: unknown }
  call(input: Readonly<Record<string, unknown>>, calling: ToolCalling): Promise<object> | object
}

export interface McpUpstream {
  readonly url: string
  /** `127.0.0.1:port` */
  readonly host: string
  /** Its tools, which a test may change. */
  tools: readonly UpstreamTool[]
  /** The contents of its resources, or promises of them, by URI. A test may change them. */
  resources: Readonly<Record<string, object>>
  /** Whether it never responds to requests for later pages of resources. */
  isSilent?: boolean
  /** Undefined if it does not have the method that lists them. */
  templates?: readonly object[]
  /** One line per request: its method, and the methods of its messages. */
  readonly arrived: string[]
  /** The headers of the requests, in the same order. */
  readonly headers: IncomingMessage['headers'][]
  close(): Promise<void>
}

const INFO = { name: 'upstream', version: '2.1.0' }
const PAGE = 3

/**
 * Starts a real MCP server of one era with the official SDK: `legacy` has sessions and does not support 2026-07-28, `modern`
 * supports nothing else. It lists its tools in pages of three.
 */
export async function startMcpServer(era: 'legacy' | 'modern', tools: readonly UpstreamTool[]): Promise<McpUpstream> {
  const arrived: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()

  const list = (cursor: string | undefined) => {
    const from = Number(cursor ?? 0)
    const page = upstream.tools.slice(from, from + PAGE).map(({ definition }) => definition)
    return { tools: page, ...(from + PAGE < upstream.tools.length ? { nextCursor: String(from + PAGE) } : {}) }
  }
  const capabilities = { tools: {}, logging: {}, resources: {} }
  const read = async (uri: string) => {
    const content = await upstream.resources[uri]
    if (!content) throw Object.assign(new Error(`Unknown resource: ${uri}`), { code: -32602 })
    return { contents: [{ uri, ...content }] }
  }
  const listResources = (cursor = '0') => {
    if (upstream.isSilent && cursor !== '0') return new Promise(() => undefined)
    const end = Number(cursor) + PAGE
    const resources = Object.entries(upstream.resources).slice(Number(cursor), end)
    return {
      resources: resources.map(([uri, { mimeType }]: [string, { mimeType?: string }]) => ({
        uri,
        name: uri,
        mimeType,
      })),
      ...(end < Object.keys(upstream.resources).length ? { nextCursor: String(end) } : {}),
    }
  }
  const listTemplates = () => {
    if (!upstream.templates) throw Object.assign(new Error('Method not found'), { code: -32601 })
    return { resourceTemplates: upstream.templates }
  }
  const find = (name: string): UpstreamTool => {
    const tool = upstream.tools.find(({ definition }) => definition.name === name)
    if (!tool) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 })
    return tool
  }

  const modern = createMcpHandler(
    () => {
      const server = new Server(INFO, { capabilities })
      server.setRequestHandler('resources/list', ({ params }): any => listResources(params?.cursor))
      server.setRequestHandler('resources/templates/list', (): any => listTemplates())
      server.setRequestHandler('resources/read', ({ params }): Promise<any> => read(params.uri))
      server.setRequestHandler('tools/list', ({ params }): any => list(params?.cursor))
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<any> => {
        const meta: Record<string, unknown> = { ...mcpReq._meta }
        return find(params.name).call(params.arguments ?? {}, {
          signal: mcpReq.signal,
          headers: headers.at(-1) ?? {},
          meta: { ...meta, answers: mcpReq.inputResponses, state: mcpReq.requestState() },
          async progress(progress, total, message) {
            const { progressToken } = meta as { progressToken?: string | number }
            if (progressToken === undefined) return
            await mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken, progress, total, message },
            })
          },
        })
      })
      return server
    },
    { legacy: 'reject' },
  )

  async function legacy(request: IncomingMessage, response: import('node:http').ServerResponse, body: unknown) {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response, body)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const server = new LegacyServer(INFO, { capabilities })
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }): any => listResources(params?.cursor))
    server.setRequestHandler(ListResourceTemplatesRequestSchema, (): any => listTemplates())
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }): Promise<any> => read(params.uri))
    server.setRequestHandler(ListToolsRequestSchema, ({ params }): any => list(params?.cursor))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<any> =>
      find(params.name).call(params.arguments ?? {}, {
        signal: extra.signal,
        headers: extra.requestInfo?.headers ?? {},
        meta: { ...extra._meta },
        log: (data) => extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } }),
        ask(message) {
          const requestedSchema = { type: 'object' as const, properties: {} }
          const params = { mode: 'form' as const, message, requestedSchema }
          return extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema)
        },
        async progress(progress, total, message) {
          const progressToken = extra._meta?.progressToken
          if (progressToken === undefined) return
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total, message },
          })
        },
      }),
    )
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport.handleRequest(request, response, body)
  }

  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = text === '' ? undefined : JSON.parse(text)
    arrived.push([request.method, body?.method].filter(Boolean).join(' '))
    headers.push(request.headers)
    if (era === 'legacy') return legacy(request, response, body)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await modern.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? 'POST',
        headers: new Headers(request.headers as Record<string, string>),
        signal: gone.signal,
        ...(text === '' ? {} : { body: text }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body) {
      const stream = Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream)
      stream.on('error', () => response.destroy())
      response.once('close', () => stream.destroy())
      stream.pipe(response)
    } else response.end()
    return undefined
  })
  // An idle connection could otherwise be closed just as it is reused
  http.keepAliveTimeout = 0
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const upstream: McpUpstream = {
    url: `http://127.0.0.1:${port}/mcp`,
    host: `127.0.0.1:${port}`,
    tools,
    resources: {},
    arrived,
    headers,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  return upstream
}
