import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { oxpSchemas } from './oxp-response.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const schemas = oxpSchemas()

let upstream: Upstream
let server: RunningServer
beforeAll(async () => {
  const bytes = Buffer.from(PNG, 'base64')
  upstream = await startUpstream(({ url }, response) => {
    const type = /^\/(\w+)\/(\w+)/.exec(url)?.slice(1).join('/')
    if (type === 'application/json') response.writeHead(200, { 'content-type': type }).end('{"a":1}')
    else if (type === 'text/csv') response.writeHead(200, { 'content-type': type }).end('a,b')
    else response.writeHead(200, { 'content-type': type ?? '' }).end(bytes)
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const oxp = async (tool_id: string, input = {}) =>
  (await server.json('POST', '/tools/call', { tool_id, input })).body.result
const plugin = async (name: string, query = '', headers = {}) =>
  (await server.json('POST', `/plugin/call${query}`, { params: { name } }, headers)).body
const mcp = async (method: string, params: object, version = '2025-11-25') =>
  (
    await server.json(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params },
      { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': version },
    )
  ).body.result

const publish = async (document: object, implementation: object) =>
  expect((await server.json('POST', '/tools', { definition: document, implementation })).status).toBe(201)

const image = { type: 'image', data: PNG, mimeType: 'image/png' }

it('content comes over OXP as a value that contains it', async () => {
  expect(await oxp('Fixture.ImageContent')).toMatchObject({ value: { content: [image] } })
  expect(await oxp('Fixture.SimpleText')).toMatchObject({ value: expect.stringMatching(/\w/) })
  const artifact = { url: 'https://artifacts.example/report.pdf', content_type: 'application/pdf', size: 1234 }
  expect(await oxp('Fixture.Artifact')).toMatchObject({ value: { artifact } })
  if (schemas) expect(schemas.callResponse(await oxp('Fixture.MultipleContentTypes'))).toEqual([])
})

it('content comes over the Machine Context Protocol as a result that contains it', async () => {
  const { body } = await server.json('POST', '/machine-context/execute', {
    header: { version: '1.0', messageId: crypto.randomUUID(), messageType: 'request' },
    payload: { tool: { id: 'Fixture', capability: 'ImageContent' } },
  })
  expect(body.payload.execution).toMatchObject({ status: 'success', result: { content: [image] } })
  expect(body.metadata).toEqual({ content: [image] })
})

it.each([
  ['image/png', image],
  ['audio/mpeg', { type: 'audio', data: PNG, mimeType: 'audio/mpeg' }],
  ['application/pdf', { type: 'resource', resource: { mimeType: 'application/pdf', blob: PNG } }],
])("an HTTP tool's response of type %s is content, in each dialect", async (type, block) => {
  const name = type.replace('/', '_')
  const implementation = { kind: 'http', method: 'GET', url: `${upstream.origin}/${type}` }
  await publish(definition(`Media.${name}@1.0.0`), implementation)
  expect(await oxp(`Media.${name}`)).toMatchObject({ success: true, value: { content: [block] } })
  const { content } = await plugin(`Media_${name}`)
  const asResource = { type: 'resource', data: PNG, mimeType: type }
  expect(content).toEqual([block.type === 'image' ? block : asResource])
  const shown = await mcp('tools/call', { name: `Media_${name}` })
  expect(shown.content).toMatchObject([block])
  expect(shown).not.toHaveProperty('structuredContent')
})

it.each([
  ['application/json', {}, { a: 1 }],
  ['text/csv', {}, 'a,b'],
  ['text/csv', { type: 'string' }, 'a,b'],
])(
  "an HTTP tool's response of type %s is a plain value for a tool with the output schema %j",
  async (type, output_schema, value) => {
    const tool = `${type.replace('/', '_')}_${Object.keys(output_schema).length}`
    const implementation = { kind: 'http', method: 'GET', url: `${upstream.origin}/${type}` }
    await publish(definition(`Values.${tool}@1.0.0`, { output_schema }), implementation)
    expect(await oxp(`Values.${tool}`)).toMatchObject({ success: true, value })
  },
)

describe('definitions of every dialect', () => {
  const implementation = { kind: 'http', method: 'GET', url: 'https://echo.invalid/' }
  const inputSchema = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' }, next: { $ref: '#' } },
    $defs: { city: { type: 'string', description: 'Where' } },
  }

  it('definitions of every dialect are listed in OXP with valid schemas, and OXP can read each of them', async () => {
    const definition = { name: 'admin.tools.list', description: 'Lists', inputSchema, annotations: { title: 'A list' } }
    const body = { definition, implementation, toolkit: 'Admin', version: '1.0.0' }
    expect((await server.json('POST', '/tools', body)).status).toBe(201)
    for (const path of ['/tools?limit=1000', '/oxp/tools?limit=1000']) {
      const { items } = (await server.json('GET', path)).body
      expect(JSON.stringify(items)).not.toContain('$ref')
      for (const item of items) {
        if (schemas) expect(schemas.definition(item), item.id).toEqual([])
        const read = await server.json('POST', '/convert?from=oxp&to=oxp', item)
        expect(read.status, JSON.stringify(read.body)).toBe(200)
      }
    }
    const { losses } = (await server.json('GET', '/tools/Admin.admin_tools_list?format=oxp&losses=1')).body
    expect(losses).toContainEqual({ path: '/input/properties/next/$ref', reason: expect.any(String) })
  })

  it('definitions of every dialect are listed to MCP clients with their source names, if the revision allows them', async () => {
    const named = async (version: string) => {
      const { tools } = await mcp('tools/list', {}, version)
      return tools.find(({ _meta }: { _meta: Record<string, string> }) =>
        _meta['dev.switchboard/id']?.startsWith('Admin.'),
      )
    }
    expect(await named('2025-06-18')).toMatchObject({ name: 'admin_tools_list' })
    const tool = await named('2025-11-25')
    expect(tool).toMatchObject({ name: 'admin.tools.list', inputSchema, annotations: { title: 'A list' } })
    expect(tool).not.toHaveProperty('title')
    for (const name of ['admin.tools.list', 'admin_tools_list']) {
      expect(JSON.stringify(await mcp('tools/call', { name }))).toContain('echo.invalid')
    }
  })
})

it('a call over the plugin schema can name its user', async () => {
  const module = 'export default async (input, ctx) => ctx.userId'
  const implementation = { kind: 'code', module }
  await publish(definition('Users.Who@1.0.0', { requirements: { user_id: true } }), implementation)
  expect(await plugin('Users_Who')).toMatchObject({ isError: true })
  expect(JSON.stringify(await plugin('Users_Who'))).toContain('X-User-Id')
  expect(await plugin('Users_Who', '', { 'x-user-id': 'ann' })).toEqual({ content: [{ type: 'text', text: 'ann' }] })
  const refused = await server.json(
    'POST',
    '/plugin/call',
    { params: { name: 'Users_Who' } },
    { 'x-user-id': 'u'.repeat(300) },
  )
  expect(refused).toMatchObject({ status: 400, body: { isError: true } })
})
