import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

const LIST = {
  tools: [
    { name: 'status', description: 'How it is', inputSchema: { type: 'object', properties: {} } },
    {
      name: 'search-pages',
      description: 'Finds pages',
      inputSchema: {
        type: 'object',
        properties: { q: { $ref: '#/$defs/query' } },
        required: ['q'],
        $defs: { query: { type: 'string' } },
      },
    },
  ],
}
const GIVEN = { toolkit: 'web', version: '1.0.0' }
const implementation = { kind: 'http', method: 'GET', url: 'https://example.com/status' }

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  expect((await publish({ definition: LIST, implementation, ...GIVEN })).status).toBe(201)
})
afterAll(() => server.stop())

const publish = (body: unknown) => server.json('POST', '/tools', body, asAdmin)
const describeTools = (query = '', headers: Record<string, string> = asAdmin) =>
  server.json('GET', `/plugin/describe${query}`, undefined, headers)
const call = (params: unknown, query = '', headers: Record<string, string> = asAdmin) =>
  server.json('POST', `/plugin/call${query}`, { method: 'tools/call', params }, headers)
const names = ({ body }: { body: { tools: { name: string }[] } }) => body.tools.map(({ name }) => name)
const text = ({ body }: { body: { content: { text: string }[] } }) => body.content[0]?.text ?? ''

it('a tool with a dash in its name is listed in OXP with an underscore, and can be called by the listed name', async () => {
  const { body } = await server.json('GET', '/tools?toolkit=web', undefined, asAdmin)
  const ids = body.items.map(({ id }: { id: string }) => id)
  expect(ids).toContain('web.search_pages@1.0.0')
  for (const tool_id of ['web.search_pages@1.0.0', 'web.search_pages', 'web.search-pages']) {
    expect(await server.json('POST', '/tools/call', { tool_id }, asAdmin)).toMatchObject({
      status: 422,
      body: { parameter_errors: { q: 'Is required' } },
    })
  }
})

it('describe with a toolkit returns the plugin as it was published', async () => {
  const { body } = await describeTools('?toolkit=web')
  expect(body.tools).toHaveLength(2)
  expect(body.tools).toEqual(expect.arrayContaining(LIST.tools))
})

it('describe gives a tool whose name is taken another name, which can be called', async () => {
  expect(await publish({ definition: LIST, implementation, toolkit: 'web2', version: '1.0.0' })).toMatchObject({
    status: 201,
  })
  const exposed = names(await describeTools('?toolkit=web2'))
  expect(exposed).toHaveLength(2)
  for (const name of exposed) expect(name).toMatch(/^web2_(?:status|search[-_]pages)$/)
  const search = exposed.find((name) => name.includes('search'))
  expect(await call({ name: search, arguments: {} })).toMatchObject({ status: 200, body: { isError: true } })
  expect(await call({ name: 'search-pages' }, '?toolkit=web2')).toMatchObject({
    status: 200,
    body: { isError: true },
  })
})

it('call returns no link to open if no consent can help', async () => {
  const answer = await call({ name: 'Gmail_GetEmails' }, '', { ...asAdmin, 'x-user-id': 'ann' })
  expect(answer).toMatchObject({ status: 200, body: { isError: true } })
  expect(text(answer)).toContain('PUT /providers/google')
  expect(text(answer)).not.toContain(server.url)
  // For nobody there is nothing to open
  const forNobody = await call({ name: 'Gmail_GetEmails' })
  expect(text(forNobody)).toContain('No user given')
  expect(text(forNobody)).not.toContain(server.url)
})

it('call suggests the nearest name, and returns 400 for an invalid request', async () => {
  expect(text(await call({ name: 'Calculator_Ad' }))).toContain("did you mean 'Calculator_Add'?")
  for (const params of [undefined, {}, { name: 1 }, { name: 'x', arguments: [] }, { name: 'a b' }]) {
    expect(await call(params)).toMatchObject({ status: 400, body: { isError: true, content: [{ type: 'text' }] } })
  }
})

it("call accepts a tool's name without its toolkit if only one tool has it, and otherwise lists the candidates", async () => {
  const ring = { name: 'Ring', arguments: { doorbell_id: 'doorbell42' } }
  expect(await call(ring)).toMatchObject({ status: 200, body: { content: [{ type: 'text', text: 'null' }] } })
  const several = await call({ name: 'Add', arguments: { a: 1, b: 2 } })
  expect(several).toMatchObject({ status: 404, body: { isError: true } })
  expect(text(several)).toMatch(
    /did you mean '(Calculator.Add|Arithmetic.add)@1.0.0', '(Calculator.Add|Arithmetic.add)@/,
  )
})

it('call needs a credential that covers the tool', async () => {
  const anonymous = await call({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } }, '', {})
  expect(anonymous).toMatchObject({ status: 401, body: { isError: true, content: [{ type: 'text' }] } })
  expect(anonymous.headers.get('www-authenticate')).toContain('Bearer')
  expect(await describeTools('', {})).toMatchObject({ status: 401, body: { isError: true } })
  const narrow = { name: 'narrow', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.Add'], users: [] }
  const { body: key } = await server.json('POST', '/keys', narrow, asAdmin)
  const asKey = { authorization: `Bearer ${key.key}` }
  expect(names(await describeTools('', asKey))).toEqual(['Calculator_Add'])
  expect(await call({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } }, '', asKey)).toMatchObject({ status: 200 })
  expect((await call({ name: 'Calculator_Subtract', arguments: { a: 1, b: 2 } }, '', asKey)).status).toBe(404)
})
