import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startApp()
})
afterAll(async () => {
  await server?.stop()
})

const publish = (body: object, query = '') => server.json('POST', `/tools${query}`, body)

const object = { type: 'object' }
let toolkits = 0

async function publishList(tools: readonly object[], more = '') {
  return publish({ tools }, `?toolkit=List${toolkits++}&version=1.0.0${more}`)
}

it.each([
  ['a plugin’s with a further field', { name: 'a', description: 'D', inputSchema: {}, extra: 1 }, 'plugin'],
  [
    'a plugin’s with a title and tags',
    { name: 'a', description: 'D', inputSchema: {}, title: 'A', tags: [] },
    'plugin',
  ],
  ['MCP’s without descriptions', { name: 'a', inputSchema: object }, 'mcp'],
  ['MCP’s with a title', { name: 'a', description: 'D', inputSchema: object, title: 'A' }, 'mcp'],
  ['one that both have', { name: 'a', description: 'D', inputSchema: object }, 'plugin'],
])(
  'a list of tools without a dialect (%s) is read by the dialect that accepts it, which the response names',
  async (_, tool, dialect) => {
    expect(await publishList([tool])).toMatchObject({ status: 201, body: { ids: [expect.anything()], dialect } })
    const batch = await publish([{ definition: { tools: [tool] }, toolkit: `List${toolkits++}`, version: '1.0.0' }])
    expect(batch.body.results).toMatchObject([{ status: 201, dialect }])
    const converted = await server.json('POST', '/convert?to=oxp&toolkit=List&version=1.0.0', { tools: [tool] })
    expect(converted.status).toBe(200)
  },
)

it('a list of tools without a dialect that no dialect accepts gets the errors of the most similar one', async () => {
  const { status, body } = await publishList([{ name: 'a', description: 'D', inputSchema: { type: 'array' } }])
  expect([status, body.errors[0].path]).toEqual([422, '/tools/0/inputSchema/type'])
})

it('a list of tools with a dialect is read in that dialect', async () => {
  const tools = [{ name: 'a', inputSchema: object }]
  expect((await publishList(tools, '&dialect=plugin')).status).toBe(422)
  const said = await publishList(tools, '&dialect=mcp')
  expect([said.status, said.body.dialect]).toEqual([201, undefined])
})

const bare = { name: 'A', input: { parameters: [] }, output: { available_modes: ['value'] } }

it.each([
  ['with a schema’s input', bare],
  ['with a list of parameters', { ...bare, input: [] }],
  ['with a qualified name', { ...bare, fully_qualified_name: 'Bare.A' }],
])(
  'a definition of the Open Tool Calling RFC (%s) may get its toolkit and version from the request',
  async (_, definition) => {
    const published = await publish(definition, '?toolkit=Bare&version=1.0.0')
    expect([200, 201]).toContain(published.status === 409 ? 200 : published.status)
    const toolkit = `Beside${toolkits++}`
    const { fully_qualified_name: __, ...rest } = { fully_qualified_name: '', ...definition }
    const beside = await publish({ definition: rest, toolkit, version: '1.2.0' })
    expect(beside.body.ids).toEqual([`${toolkit}.A@1.2.0`])
  },
)

it("a definition of the Open Tool Calling RFC cannot have a version other than its toolkit's", async () => {
  const toolkit = { name: 'Versioned', version: '1.0.0' }
  const whole = { ...bare, fully_qualified_name: 'Versioned.A', toolkit }
  const { status, body } = await publish({ ...whole, version: '3.0.0' })
  expect([status, body.errors]).toEqual([
    422,
    [{ path: '/version', message: "Must be the version of its toolkit, '1.0.0', or left out" }],
  ])
  expect((await publish({ ...whole, version: 'v1.0' })).status).toBe(201)
})

it('a definition of the Open Tool Calling RFC is refused if no one could give its authorization', async () => {
  const whole = { ...bare, fully_qualified_name: 'Typed.A', toolkit: { name: 'Typed', version: '1.0.0' } }
  const typed = (provider_type: string) => {
    return publish({ ...whole, requirements: { authorization: { provider_id: 'weatherkey', provider_type } } })
  }
  for (const type of ['certificate', 'API_KEY', 'OAuth2', '']) {
    const { status, body } = await typed(type)
    expect([status, body.errors[0].path]).toEqual([422, '/requirements/authorization/provider_type'])
    expect(body.errors[0].message).toMatch(
      /^Must be one of 'oauth2', 'token', 'api_key', .*, got .* one of the 'secrets'$/,
    )
  }
  expect((await typed('token')).status).toBe(201)
})

describe('a call with a missing requirement', () => {
  const implementation = { kind: 'code', module: 'export default () => 1', allowed_hosts: ['api.example.com'] }
  const tool = async (toolkit: string, authorization: unknown) => {
    const definition = {
      name: 'A',
      fully_qualified_name: `${toolkit}.A`,
      toolkit: { name: toolkit, version: '1.0.0' },
      input: { parameters: [] },
      output: { available_modes: ['value'] },
      requirements: { authorization },
    }
    expect((await publish({ definition, implementation })).status).toBe(201)
  }
  const rpc = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
  const accept = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }

  it('a call with a missing requirement names the token in each dialect', async () => {
    await tool('Tokened', 'token')
    const oxp = await server.json('POST', '/tools/call', { request: { tool_id: 'Tokened.A' } })
    expect(oxp.body.missing_requirements).toEqual({ tokens: [{ id: 'token' }] })
    const mcp = await server.json('POST', '/mcp', rpc('Tokened_A'), accept)
    expect(mcp.body.result._meta['dev.switchboard/missing_requirements']).toMatchObject({ tokens: [{ id: 'token' }] })
    const execute = {
      header: { messageId: 'tokened', messageType: 'request' },
      payload: { tool: { id: 'Tokened', capability: 'A' } },
    }
    const message = await server.json('POST', '/machine-context/execute', execute)
    expect(message.body.payload.execution.error.details).toEqual({ tokens: [{ id: 'token' }] })
    const rfc = await server.json('POST', '/worker/tools/invoke', { tool: { name: 'A', toolkit: 'Tokened' } })
    expect(rfc.body.output.error.message).toContain("the token 'token'")
    const plugin = await server.json('POST', '/plugin/call', { params: { name: 'Tokened_A' } })
    expect(plugin.body.content[0].text).toContain("'token'")
  })

  it('a call with a missing requirement says that a provider is not set up, so no one waits for consent', async () => {
    await tool('Unset', { provider_id: 'nowhere', provider_type: 'oauth2', oauth2: { scopes: ['a'] } })
    const context = { user_id: 'ann' }
    const invocation = { tool: { name: 'A', toolkit: 'Unset' }, context }
    const rfc = await server.json('POST', '/worker/tools/invoke', invocation)
    expect(rfc.body.output.requires_authorization).toMatchObject({ scopes: ['a'], status: 'not_started' })
    const oxp = await server.json('POST', '/tools/call', { request: { tool_id: 'Unset.A', context } })
    expect(oxp.body.missing_requirements.needs_setup).toEqual(['nowhere'])
  })
})

/** As a worker of its author lists a tool: null for each field that the tool has nothing for. */
const listed = (toolkit: string, requirements: object) => ({
  name: 'Add',
  fully_qualified_name: `${toolkit}.Add`,
  description: 'Adds',
  toolkit: { name: toolkit, description: null, version: '1.0.0' },
  input: {
    parameters: [
      {
        name: 'a',
        required: true,
        description: null,
        value_schema: { val_type: 'integer', inner_val_type: null, enum: null },
        inferrable: true,
      },
    ],
  },
  output: { description: null, available_modes: ['value', 'error'], value_schema: null },
  requirements,
  deprecation_message: null,
})

it.each<[string, object]>([
  ['nothing', { authorization: null, secrets: null, metadata: null }],
  ['secrets', { authorization: null, secrets: [{ key: 'KEY' }, { key_id: 'OTHER' }], metadata: [] }],
  [
    'a provider',
    { authorization: { provider_id: 'google', provider_type: 'oauth2', id: null, oauth2: { scopes: null } } },
  ],
  [
    'a provider of its own',
    { authorization: { provider_id: null, provider_type: 'oauth2', id: 'mine', oauth2: null } },
  ],
])('an engine can publish a definition with %s required as its worker lists it', async (_, requirements) => {
  const toolkit = `Arcade${toolkits++}`
  const { status, body } = await publish(listed(toolkit, requirements))
  expect([status, body.ids]).toEqual([201, [`${toolkit}.Add@1.0.0`]])
  const { body: tools } = await server.json('GET', '/worker/tools')
  const own = tools.find((each: { toolkit: { name: string } }) => each.toolkit.name === toolkit)
  expect(own).toMatchObject({ description: 'Adds', requirements })
})

it('an engine gets requirements and a description with each listed tool', async () => {
  const toolkit = { name: 'Terse', version: '1.0.0' }
  const input = { parameters: [] }
  const output = { available_modes: ['value'] }
  await publish({ name: 'A', fully_qualified_name: 'Terse.A', toolkit, input, output })
  const { body } = await server.json('GET', '/worker/tools')
  for (const tool of body)
    expect(tool).toMatchObject({ description: expect.any(String), requirements: expect.any(Object) })
})

it('an engine sees the hash of the list change with the list, and required metadata is refused', async () => {
  const before = (await server.json('GET', '/worker/health')).body
  const toolkit = `Arcade${toolkits++}`
  const metadata = [{ key: 'client_id' }]
  const { status, body } = await publish(listed(toolkit, { metadata }))
  expect([status, body.errors[0].path]).toEqual([422, '/requirements/metadata'])
  expect((await publish(listed(toolkit, {}))).status).toBe(201)
  await expect
    .poll(async () => (await server.json('GET', '/worker/health')).body.tool_definitions_hash)
    .not.toBe(before.tool_definitions_hash)
})

it('an OXP list has all tools for clients without paging, and pages on request', async () => {
  const tools = Array.from({ length: 150 }, (_, index) => ({
    name: `t${index}`,
    description: 'D',
    inputSchema: object,
  }))
  expect((await publishList(tools)).status).toBe(201)
  for (const path of ['/tools', '/oxp/tools']) {
    const list = async (query = '') => (await server.json('GET', `${path}${query}`)).body
    await expect.poll(async () => (await list()).items.length).toBeGreaterThan(150)
    const all = await list()
    expect(all.next_cursor).toBeUndefined()
    const first = await list('?limit=100')
    expect([first.items.length, typeof first.next_cursor]).toEqual([100, 'string'])
    const rest = await list(`?cursor=${first.next_cursor}`)
    expect([...first.items, ...rest.items]).toEqual(all.items)
  }
})
