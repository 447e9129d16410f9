import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { type DialectCall, dialectCalls } from './dialect-calls.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server?.stop())

/** The same tool, as each dialect writes it. */
const DOCUMENTS: {
  dialect: string
  body: { definition?: unknown } & Record<string, unknown>
  id: string
  name: string
}[] = [
  {
    dialect: 'oxp',
    id: 'Oxp.Echo',
    name: 'Oxp_Echo',
    body: {
      definition: {
        id: 'Oxp.Echo@1.0.0',
        name: 'Oxp_Echo',
        description: 'Echoes a text.',
        version: '1.0.0',
        input_schema: {
          parameters: {
            type: 'object',
            properties: { text: { type: 'string', description: 'The text.' } },
            required: ['text'],
          },
        },
        output_schema: {},
      },
    },
  },
  {
    dialect: 'open-tool-calling',
    id: 'Rfc.Echo',
    name: 'Rfc_Echo',
    body: {
      definition: {
        name: 'Echo',
        fully_qualified_name: 'Rfc.Echo@1.0.0',
        description: 'Echoes a text.',
        toolkit: { name: 'Rfc', version: '1.0.0' },
        input: {
          parameters: [
            { name: 'text', required: true, description: 'The text.', value_schema: { val_type: 'string' } },
          ],
        },
        output: { available_modes: ['value', 'error'], value_schema: { val_type: 'json' } },
      },
    },
  },
  {
    dialect: 'machine-context',
    id: 'squirrel.echo',
    name: 'squirrel_echo',
    body: {
      definition: {
        id: 'squirrel',
        name: 'Squirrel',
        version: '1.0.0',
        description: 'Tools of a squirrel',
        capabilities: [
          {
            name: 'echo',
            description: 'Echoes a text.',
            parameters: [{ name: 'text', description: 'The text.', type: 'string', required: true }],
          },
        ],
        securityLevel: 0,
      },
    },
  },
  {
    dialect: 'plugin',
    id: 'Plug.echo',
    name: 'echo',
    body: {
      definition: {
        tools: [
          {
            name: 'echo',
            description: 'Echoes a text.',
            inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
        ],
      },
      toolkit: 'Plug',
      version: '1.0.0',
    },
  },
  {
    dialect: 'mcp',
    id: 'Mcp.repeat',
    name: 'repeat',
    body: {
      definition: {
        name: 'repeat',
        title: 'Repeat',
        description: 'Echoes a text.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        annotations: { readOnlyHint: true },
      },
      toolkit: 'Mcp',
      version: '1.0.0',
    },
  },
]

/** An implementation that needs no network to be refused by the guard: what matters is that the call got there. */
const IMPLEMENTATION = { kind: 'http', method: 'POST', url: 'https://echo.invalid/' }
const reached = /echo\.invalid/

it.each(DOCUMENTS)(
  'a document of $dialect is recognized, published, and returned unchanged',
  async ({ dialect, id, body }) => {
    const published = await server.json('POST', '/tools', { ...body, implementation: IMPLEMENTATION })
    expect(published, JSON.stringify(published.body)).toMatchObject({ status: 201, body: { ids: [`${id}@1.0.0`] } })
    const again = await server.json('POST', '/tools', { ...body, implementation: IMPLEMENTATION })
    expect(again.status).toBe(200)
    const back = await server.json('GET', `/tools/${id}?format=${dialect}`)
    expect(back.body).toEqual(body.definition)
    const named = await server.json('GET', `/tools/${id}?format=${dialect}&losses=1`)
    expect(named.body).toEqual({ document: body.definition, losses: [] })
  },
)

it.each(DOCUMENTS)('a document of $dialect can be read in every format, with its losses', async ({ id }) => {
  for (const format of [
    'oxp',
    'oxp-flat',
    'open-tool-calling',
    'machine-context',
    'plugin',
    'mcp',
    'openai',
    'openai-strict',
    'anthropic',
    'gemini',
    'openapi',
  ]) {
    const { status, body } = await server.json('GET', `/tools/${id}?format=${format}&losses=1`)
    expect(status, `${format} ${JSON.stringify(body)}`).toBe(200)
    expect(JSON.stringify(body.document)).toContain('text')
    for (const loss of body.losses)
      expect(loss).toEqual({ path: expect.stringMatching(/^\//), reason: expect.any(String) })
    const list = await server.json('GET', `/tools?format=${format}&limit=1000`)
    expect(list.status).toBe(200)
    expect(list.body.items.length).toBeGreaterThanOrEqual(11)
  }
})

it.each(DOCUMENTS)('a document of $dialect can be called in every dialect', async ({ id, name }) => {
  const failed = {
    'oxp': { result: { success: false } },
    'open-tool-calling': { success: false },
    'machine-context': { payload: { execution: { status: 'failure' } } },
    'plugin': { isError: true },
    'mcp': { result: { isError: true } },
  }
  const calls = dialectCalls(id, '{"text":"hello"}', name)
  for (const dialect of ['oxp', 'open-tool-calling', 'machine-context', 'plugin', 'mcp'] as const) {
    const { path, body, ...more }: DialectCall = calls[dialect]
    const answer = await server.json('POST', path, JSON.parse(body), more.headers)
    expect(answer, dialect).toMatchObject({ status: 200, body: failed[dialect] })
    expect(JSON.stringify(answer.body), dialect).toMatch(reached)
  }
})

it('POST /convert converts between dialects, reports losses, and stores nothing', async () => {
  const body = { name: 'x', title: 'A title', description: 'd', inputSchema: { type: 'object', properties: {} } }
  const { status, body: converted } = await server.json('POST', '/convert?from=mcp&to=oxp', {
    definition: body,
    toolkit: 'Conv',
    version: '1.2.3',
  })
  expect(status, JSON.stringify(converted)).toBe(200)
  expect(converted.document).toMatchObject({ id: 'Conv.x@1.2.3', input_schema: { parameters: body.inputSchema } })
  expect(converted.losses).toContainEqual({ path: '/title', reason: expect.any(String) })
  expect((await server.json('GET', '/tools/Conv.x')).status).toBe(404)
})

it('POST /convert reports what is wrong with a document or with the requested formats', async () => {
  expect(await server.json('POST', '/convert?to=oxp', {})).toMatchObject({
    status: 422,
    body: { errors: [{ path: '' }] },
  })
  expect(await server.json('POST', '/convert?to=nothing', {})).toMatchObject({ status: 400 })
  expect(await server.json('POST', '/convert?from=oxp&to=mcp', { id: 1 })).toMatchObject({ status: 422 })
})

const rfc = 'catalogues/rfc-definitions.ndjson'
it.skipIf(!hasShared(rfc))(
  `every RFC definition of the shared catalogs is returned unchanged${unlessShared(rfc)}`,
  async () => {
    const documents = readShared(rfc)
      .trim()
      .split('\n')
      .map((line): { fully_qualified_name: string } => JSON.parse(line))
    const { body } = await server.json('POST', '/tools', documents)
    for (const [index, result] of body.results.entries()) {
      expect(result, JSON.stringify(result)).toMatchObject({ status: 201 })
      const back = await server.json('GET', `/tools/${result.id}?format=open-tool-calling`)
      expect(back.body).toEqual(documents[index])
    }
  },
)
