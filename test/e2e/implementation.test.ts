import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asAdmin, ADMIN_KEY, keyOf } from '../attacks/set-up.ts'
import { compilePlugin } from '../plugins/compile.ts'
import { raw } from './raw.ts'
import { type RunningServer, startApp } from './server.ts'

const SECRET = 'the-value-of-a-secret-0123456789'
const MODULE = 'export default async ({ a }) => `${a}, Grüße`'

let server: RunningServer
beforeAll(async () => {
  server = await startApp({
    vars: { ACCESS: 'keys', ADMIN_KEY, SOME_KEY: SECRET, TOOL_SECRETS: JSON.stringify({ SOME_KEY: ['Read.*'] }) },
  })
})
afterAll(() => server?.stop())

const mcp = (tool: string, implementation?: object) => ({
  definition: { name: tool, description: 'Is read back', inputSchema: { type: 'object' } },
  toolkit: 'Read',
  version: '1.0.0',
  ...(implementation ? { implementation } : {}),
})
const http = { kind: 'http', method: 'GET', url: 'https://api.example.com/notes' }
const read = (id: string, as: Readonly<Record<string, string>>, more = '') =>
  server.json('GET', `/tools/${id}/implementation${more}`, undefined, as)

describe('GET /tools/{id}/implementation', () => {
  let owner: Awaited<ReturnType<typeof keyOf>>

  beforeAll(async () => {
    owner = await keyOf(server, ['*'])
    const all = [mcp('Run', { kind: 'code', module: MODULE }), mcp('Fetch', http), mcp('Nothing')]
    const { body } = await server.json('POST', '/tools', all, owner.as)
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201])
  })

  it('GET /tools/{id}/implementation returns the implementation, with its module as a file, to administrators and owners', async () => {
    const naming = await keyOf(server, ['Read.*'])
    for (const as of [asAdmin, owner.as, naming.as]) {
      const { status, body, headers } = await read('Read.Run', as)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body).toMatchObject({ id: 'Read.Run@1.0.0', implementation: { kind: 'code', module: MODULE } })
      const tool = await server.json('GET', '/tools/Read.Run', undefined, as)
      expect(tool.headers.get('etag')).toBe(`"${body.digest}"`)
      const etag = headers.get('etag') ?? ''
      expect((await read('Read.Run', { ...as, 'if-none-match': etag })).status).toBe(304)
      const file = await raw(server.url, { path: body.module, headers: as })
      expect([file.status, file.text]).toEqual([200, MODULE])
      expect(file.headers['content-disposition']).toBe('attachment; filename="Read.Run-1.0.0.js"')
    }
    expect((await read('Read.Fetch@1.0.0', owner.as)).body.implementation).toEqual(http)
    expect((await read('Calculator.Add', asAdmin)).body.implementation).toEqual({ kind: 'bundled' })
  })

  it("GET /tools/{id}/implementation returns a plugin's bytes as they run, and never the value of a secret", async () => {
    const toolbox = await compilePlugin('toolbox')
    const query = 'version=1.0.0&config=key:SOME_KEY&security_level=0'
    const path = `/toolkits/Read/plugin?${query}`
    const headers = { ...owner.as, 'content-type': 'application/wasm' }
    const naming = { ...(await keyOf(server, ['Read.*'])).as, 'content-type': 'application/wasm' }
    expect((await raw(server.url, { method: 'PUT', path, headers, body: toolbox })).status).toBe(403)
    expect((await raw(server.url, { method: 'PUT', path, headers: naming, body: toolbox })).status).toBe(201)
    const { body } = await read('Read.add', owner.as)
    expect(body.implementation).toMatchObject({ kind: 'wasm', config: { key: 'SOME_KEY' } })
    expect(JSON.stringify(body)).not.toContain(SECRET)
    const answer = await fetch(new URL(body.module, server.url), { headers: owner.as })
    expect(answer.headers.get('content-type')).toBe('application/wasm')
    const bytes = await answer.arrayBuffer()
    expect(WebAssembly.validate(bytes)).toBe(true)
    const digest = await crypto.subtle.digest('SHA-256', bytes)
    expect(Buffer.from(digest).toString('hex')).toBe(body.implementation.blob)
  })

  it('GET /tools/{id}/implementation is refused to everyone else without any detail', async () => {
    const other = await keyOf(server, ['*'])
    const elsewhere = await keyOf(server, ['Elsewhere.*'])
    const reader = await keyOf(server, ['Read.*'], { scopes: ['tools:read', 'tools:call'] })
    for (const [as, status] of [
      [other.as, 403],
      [reader.as, 403],
      [elsewhere.as, 404],
      [{}, 401],
    ] as const) {
      for (const more of ['', '/module']) {
        const answer = await read('Read.Run@1.0.0', as, more)
        expect(answer.status).toBe(status)
        expect(JSON.stringify(answer.body)).not.toContain('Grüße')
      }
    }
    const unknown = await read('Read.Unknown', elsewhere.as)
    expect(unknown.status).toBe(404)
  })

  it('GET /tools/{id}/implementation returns 404 if there is no implementation or module', async () => {
    expect(await read('Read.Nothing', owner.as)).toMatchObject({ status: 404 })
    expect(await read('Read.Fetch', owner.as, '/module')).toMatchObject({ status: 404 })
    expect(await read('Calculator.Add', asAdmin, '/module')).toMatchObject({ status: 404 })
    expect(await read('No.Such', asAdmin)).toMatchObject({ status: 404 })
    expect(await read('%00..%2f', asAdmin)).toMatchObject({ status: 404 })
  })
})
