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
})
afterAll(() => server.stop())

const publish = (body: unknown) => server.json('POST', '/tools', body, asAdmin)
const describeTools = (query = '', headers: Record<string, string> = asAdmin) =>
  server.json('GET', `/plugin/describe${query}`, undefined, headers)
const call = (params: unknown, query = '', headers: Record<string, string> = asAdmin) =>
  server.json('POST', `/plugin/call${query}`, { method: 'tools/call', params }, headers)
const names = ({ body }: { body: { tools: { name: string }[] } }) => body.tools.map(({ name }) => name)
const text = ({ body }: { body: { content: { text: string }[] } }) => body.content[0]?.text ?? ''

it('a ListToolsResult is published with the toolkit and version beside it', async () => {
  const ids = ['web.status@1.0.0', 'web.search_pages@1.0.0']
  expect(await publish({ definition: LIST, implementation, ...GIVEN })).toMatchObject({ status: 201, body: { ids } })
  expect(await publish({ definition: LIST, implementation, ...GIVEN })).toMatchObject({ status: 200, body: { ids } })
})

it('a ListToolsResult is refused without them, and says how to give them', async () => {
  const { status, body } = await publish(LIST)
  expect(status).toBe(422)
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['/toolkit', '/version'])
  expect(body.errors[0].message).toContain('"definition"')
})

it('a ListToolsResult comes back verbatim from each tool', async () => {
  for (const id of ['web.status', 'web.search-pages']) {
    expect(await server.json('GET', `/tools/${id}?format=plugin`, undefined, asAdmin)).toMatchObject({
      status: 200,
      body: LIST,
    })
  }
})

it('a ListToolsResult without an implementation is no part of what can be called', async () => {
  const listed = { definition: LIST, toolkit: 'listed', version: '1.0.0' }
  expect(await publish(listed)).toMatchObject({ status: 201 })
  expect(names(await describeTools('?toolkit=listed'))).toEqual([])
  const answer = await call({ name: 'status' }, '?toolkit=listed')
  expect(answer).toMatchObject({ status: 404, body: { isError: true, content: [{ type: 'text' }] } })
})

it('a tool with a dash in its name is listed in OXP with an underscore, and called by what was listed', async () => {
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

it('describe gives every tool that can be called, under unique names', async () => {
  for (const method of ['GET', 'POST']) {
    const answer = await server.json(method, '/plugin/describe', undefined, asAdmin)
    expect(answer.status).toBe(200)
    expect(names(answer)).toEqual(
      expect.arrayContaining(['Calculator_Add', 'Gmail_GetEmails', 'status', 'search-pages']),
    )
    expect(new Set(names(answer)).size).toBe(names(answer).length)
    for (const tool of answer.body.tools) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
        description: expect.any(String),
        inputSchema: expect.any(Object),
      })
    }
  }
})

it('describe narrows to a toolkit, which is then the plugin it was published as', async () => {
  const { body } = await describeTools('?toolkit=web')
  expect(body.tools).toHaveLength(2)
  expect(body.tools).toEqual(expect.arrayContaining(LIST.tools))
})

it('describe gives another name to a tool whose name is taken, and calls it by that', async () => {
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

it('call gives a value as text', async () => {
  const answer = await call({ name: 'Calculator_Add', arguments: { a: 10, b: 5 } })
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({ content: [{ type: 'text', text: '15' }] })
  const stamp = await call({ name: 'System_GetTimestamp' })
  expect(JSON.parse(text(stamp))).toHaveProperty('timestamp')
})

it("call calls by a tool's own name within its toolkit", async () => {
  const answer = await call({ name: 'Add', arguments: { a: 1, b: 2 } }, '?toolkit=Calculator')
  expect(answer.body).toEqual({ content: [{ type: 'text', text: '3' }] })
  expect(await call({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } }, '?toolkit=Calculator')).toMatchObject({
    status: 200,
  })
  expect(await call({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } }, '?toolkit=SMS')).toMatchObject({
    status: 404,
  })
})

it('call says in the result what a model can put right', async () => {
  const answer = await call({ name: 'Calculator_Add', arguments: { a: '10' } })
  expect(answer).toMatchObject({ status: 200, body: { isError: true, content: [{ type: 'text' }] } })
  expect(text(answer)).toContain("'a'")
  expect(text(answer)).toContain("'b'")
})

it('call gives no link to open where no consent can help', async () => {
  const answer = await call({ name: 'Gmail_GetEmails' }, '', { ...asAdmin, 'x-user-id': 'ann' })
  expect(answer).toMatchObject({ status: 200, body: { isError: true } })
  expect(text(answer)).toContain('PUT /providers/google')
  expect(text(answer)).not.toContain(server.url)
  // For nobody there is nothing to open
  const forNobody = await call({ name: 'Gmail_GetEmails' })
  expect(text(forNobody)).toContain('No user given')
  expect(text(forNobody)).not.toContain(server.url)
})

it('call answers 404 when there is no such tool, and 400 when it is no request', async () => {
  expect(await call({ name: 'none' })).toMatchObject({ status: 404, body: { isError: true } })
  expect(text(await call({ name: 'Calculator_Ad' }))).toContain("did you mean 'Calculator_Add'?")
  for (const params of [undefined, {}, { name: 1 }, { name: 'x', arguments: [] }, { name: 'a b' }]) {
    expect(await call(params)).toMatchObject({ status: 400, body: { isError: true, content: [{ type: 'text' }] } })
  }
})

it("call takes a tool's name without its toolkit where one tool has it, and else answers with those that have", async () => {
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
