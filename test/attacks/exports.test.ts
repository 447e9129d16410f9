import { afterAll, beforeAll, expect, it } from 'vitest'
import { formats } from '../../src/compose/dialects.ts'
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
const FORMATS = [...formats.keys()]
const TOO_MUCH = /^Takes too much work to write as '([\w-]+)'/

interface Loss {
  readonly id: string
  readonly reason: string
}

interface Warned {
  readonly status?: number
  readonly warnings?: readonly { readonly path: string; readonly message: string }[]
}

function formatsIn({ warnings = [] }: Warned): string[] {
  return warnings.flatMap(({ message }) => TOO_MUCH.exec(message)?.[1] ?? [])
}

/** Checks that each reader gets the tool, or the reason why it is not available, in every format. */
async function expectReadable(id: string, refused: readonly string[]) {
  for (const format of FORMATS) {
    const [{ status, body }, list, health] = await Promise.all([
      server.json('GET', `/tools/${id}?format=${format}`, undefined, admin),
      server.json('GET', `/tools?format=${format}&losses=1`, undefined, admin),
      server.json('GET', '/health'),
    ])
    const isRefused = refused.includes(format)
    expect([format, status, list.status, health.status]).toEqual([format, isRefused ? 422 : 200, 200, 200])
    const [loss] = list.body.losses.filter((each: Loss) => each.id === id && each.reason.startsWith('Is not listed: '))
    if (isRefused) {
      expect(body.errors).toEqual([
        { path: expect.stringMatching(/^\/(?:input|properties)|^$/), message: expect.stringMatching(TOO_MUCH) },
      ])
      expect(loss).toEqual({ id, path: body.errors[0].path, reason: `Is not listed: ${body.errors[0].message}` })
    } else expect(loss).toBeUndefined()
  }
}

it.each(growing)(
  'a tool that is too costly to export is published, and warnings name each format that is then refused: %s',
  async (name, schema) => {
    const called = name.replaceAll(' ', '_')
    const { status, body } = await server.json('POST', '/tools?dialect=mcp', beside(tool(schema, called)), evil)
    // One is too large to read
    if (status === 422) expect(JSON.stringify(body)).toContain('Takes too much work to read')
    else {
      expect(status).toBe(201)
      await expectReadable(body.ids[0], formatsIn(body))
    }
  },
)

it('the warning about a tool that is too costly to export has the location in its schema', async () => {
  const { body } = await server.json('POST', '/tools?dialect=mcp', beside(tool(exponential)), evil)
  expect(formatsIn(body)).toContain('gemini')
  for (const { path, message } of body.warnings)
    if (TOO_MUCH.test(message)) expect(path).toMatch(/^\/definition\/inputSchema\//)
})

it('a tool that is too costly to export gets its warning in a batch, and the others get none', async () => {
  const fine = beside(tool({ type: 'object' }, 'fine'))
  const bad = beside(tool(exponential, 'bad'))
  const { body } = await server.json('POST', '/tools?dialect=mcp', [bad, fine], evil)
  expect(body.results.map((each: Warned) => [each.status, formatsIn(each).includes('gemini')])).toEqual([
    [201, true],
    [201, false],
  ])
})

it('a tool that is too costly to export gets its warning among the tools of a plugin document', async () => {
  const tools = [tool({ type: 'object' }, 'one'), tool(exponential, 'two')]
  const { status, body } = await server.json('POST', '/tools?dialect=plugin', beside({ tools }), evil)
  expect([status, formatsIn(body).includes('gemini')]).toEqual([201, true])
  expect(JSON.stringify(body.warnings)).toContain('/definition/tools/1/inputSchema/')
})

it('a tool that is too costly to export gets its warning in a plugin upload', async () => {
  const { status, text } = await raw(server.url, {
    method: 'PUT',
    path: '/toolkits/Evil/plugin?version=1.0.0',
    headers: { 'content-type': 'application/wasm', ...evil },
    body: describing(JSON.stringify({ tools: [tool(exponential, 'described')] })),
  })
  expect([status, text]).toEqual([201, expect.stringContaining("Takes too much work to write as 'gemini'")])
})

it.each([
  [
    'where its parameters are',
    { parameters: [{ name: 'x', in: 'query', schema: { $ref: '#/components/schemas/d1' } }] },
  ],
  ['as a body', body({ $ref: '#/components/schemas/d1' })],
  ['as a body of many parts', body({ allOf: Array.from({ length: 8 }, () => ({ $ref: '#/components/schemas/d1' })) })],
])('an import skips or imports an operation that is too costly to export: %s', async (_, operation) => {
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

it.each(['/worker/tools', '/machine-context/tools', '/plugin/describe', '/oxp/tools'])(
  'readers of %s are not affected by tools that are too costly to export',
  async (path) => expect((await server.json('GET', path, undefined, admin)).status).toBe(200),
)

function body(schema: unknown) {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } }
}
