import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { raw } from '../e2e/raw.ts'
import { describing } from '../plugins/describing.ts'
import { chain, GROWING } from './schemas.ts'
import { neverSilent, startWatched } from './watch.ts'

const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }

let server: RunningServer
let evil: { authorization: string }
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const asked = { name: 'evil', scopes: ['tools:publish', 'tools:read'], tools: ['Evil.*'] }
  const { body } = await server.json('POST', '/keys', asked, admin)
  evil = { authorization: `Bearer ${body.key}` }
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const tool = (inputSchema: unknown, name = 'x') => ({ name, description: 'd', inputSchema })
const beside = (definition: unknown, version = '1.0.0') => ({ definition, toolkit: 'Evil', version })
const growing = Object.entries(GROWING)
const exponential = GROWING['8 wide and 8 deep']
const TOO_MUCH = /Takes too much work to (?:read|write as '[\w-]+')/

/** Every reader is answered in every form. */
async function expectReadable() {
  for (const format of ['openai', 'openai-strict', 'anthropic', 'gemini', 'openapi', 'oxp', 'mcp', 'machine-context']) {
    const [list, health] = await Promise.all([
      server.json('GET', `/tools?format=${format}&losses=1`, undefined, admin),
      server.json('GET', '/health'),
    ])
    expect([format, list.status, health.status]).toEqual([format, 200, 200])
  }
  for (const path of ['/worker/tools', '/machine-context/tools', '/plugin/describe', '/oxp/tools']) {
    expect([path, (await server.json('GET', path, undefined, admin)).status]).toEqual([path, 200])
  }
}

describe('a tool that only an export would exhaust', () => {
  it.each(growing)('is refused, or can be read in every form: %s', async (name, schema) => {
    const published = await server.json(
      'POST',
      '/tools?dialect=mcp',
      beside(tool(schema, name.replaceAll(' ', '_'))),
      evil,
    )
    if (published.status !== 201) {
      expect(published.status).toBe(422)
      expect(JSON.stringify(published.body)).toMatch(TOO_MUCH)
    }
  })

  it('is told where', async () => {
    const { body } = await server.json('POST', '/tools?dialect=mcp', beside(tool(exponential)), evil)
    expect(JSON.stringify(body)).toContain('/definition/inputSchema/')
  })

  it('is refused in a batch, beside others', async () => {
    const fine = beside(tool({ type: 'object' }, 'fine'))
    const bad = beside(tool(exponential, 'bad'))
    const { body } = await server.json('POST', '/tools?dialect=mcp', [bad, fine, bad], evil)
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([422, 201, 422])
  })

  it('is refused among the tools of one document, in another dialect', async () => {
    const tools = [tool({ type: 'object' }, 'one'), tool(exponential, 'two')]
    const { status, body } = await server.json('POST', '/tools?dialect=plugin', beside({ tools }), evil)
    expect([status, TOO_MUCH.test(JSON.stringify(body))]).toEqual([422, true])
    expect(JSON.stringify(body)).toContain('/definition/tools/1/inputSchema/')
  })

  it('is refused in what a plugin describes', async () => {
    const { status, text } = await raw(server.url, {
      method: 'PUT',
      path: '/toolkits/Evil/plugin?version=1.0.0',
      headers: { 'content-type': 'application/wasm', ...evil },
      body: describing(JSON.stringify({ tools: [tool(exponential)] })),
    })
    expect([status, TOO_MUCH.test(text)]).toEqual([422, true])
  })

  it.each([
    [
      'where its parameters are',
      { parameters: [{ name: 'x', in: 'query', schema: { $ref: '#/components/schemas/d1' } }] },
    ],
    ['as a body', body({ $ref: '#/components/schemas/d1' })],
    [
      'as a body of many parts',
      body({ allOf: Array.from({ length: 8 }, () => ({ $ref: '#/components/schemas/d1' })) }),
    ],
  ])('is skipped in an import, or can be read: %s', async (_, operation) => {
    const schemas = JSON.parse(JSON.stringify(chain(8, 8)).replaceAll('#/$defs/', '#/components/schemas/'))
    const description = {
      openapi: '3.1.0',
      info: { title: 't', version: '1.0.0' },
      servers: [{ url: 'https://example.com' }],
      paths: { '/a': { post: { operationId: 'a', ...operation } } },
      components: { schemas },
    }
    const from = { from: { openapi: description }, toolkit: 'Evil' }
    const [imported, health] = await Promise.all([
      server.json('POST', '/toolkits/import', from, evil),
      server.json('GET', '/health'),
    ])
    expect(health.status).toBe(200)
    expect([201, 200, 422]).toContain(imported.status)
  })

  it('leaves every reader as before', expectReadable)
})

function body(schema: unknown) {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } }
}
