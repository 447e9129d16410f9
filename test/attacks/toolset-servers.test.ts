import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeFor, newAgent, redeem, refresh, rpc, authorizeUrl, type Tokens } from '../e2e/oauth/agent.ts'
import { ADMIN_KEY, asAdmin, type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { neverSilent, startWatched, watched } from './watch.ts'

const SALES = {
  title: 'For sales',
  instructions: 'Count every sale.',
  tools: [
    {
      tool: 'Calculator.Add',
      name: 'Sum',
      description: 'Adds to 40.',
      arguments: { a: { value: 40 } },
    },
    { tool: 'Calculator.Subtract' },
  ],
  pinned: ['Calculator.Add'],
}

let world: ConnectWorld
let origin: string
let ann: HttpPerson
let key: string

const put = async (name: string, toolset: object) => {
  const { status, body } = await world.server.json('PUT', `/toolsets/${name}`, toolset, asAdmin)
  expect(status, JSON.stringify(body)).toBeLessThan(300)
}

beforeAll(async () => {
  world = await startConnectWorld()
  watched(world.server)
  origin = world.server.url
  ann = await world.findSession('ann')
  await put('sales', SALES)
  await put('texts', { tools: [{ tool: 'Fixture.SimpleText' }, { tool: 'Calculator.Add', version: '^9' }] })
  await put('closed', { tools: [{ tool: '*' }], enabled: false })
  const made = { name: 'k', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*', 'Fixture.*'] }
  key = (await world.server.json('POST', '/keys', made, asAdmin)).body.key
})
afterAll(() => world?.stop())
afterAll(neverSilent)

const resourceOf = (toolset: string) => `${origin}/connect/mcp/t/${toolset}`

async function connectedTo(toolset: string, toolkits: readonly string[] = ['Calculator']) {
  const agent = await newAgent(origin)
  const resource = toolset === '' ? `${origin}/connect/mcp` : resourceOf(toolset)
  const answer = await redeem(agent, await codeFor(ann, agent, toolkits, { resource }), { resource })
  expect(answer.status).toBe(200)
  const tokens: Tokens = await answer.json()
  return { agent, tokens }
}

async function namesAt(path: string, token = key): Promise<string[] | number> {
  const { status, body } = await rpc(origin, token, 'tools/list', {}, path)
  return body.result ? body.result.tools.map(({ name }: { name: string }) => name).sort() : status
}
const call = async (path: string, name: string, args: object = {}, token = key) => {
  const { body } = await rpc(origin, token, 'tools/call', { name, arguments: args }, path)
  return body.result ? (body.result.structuredContent ?? body.result.content[0].text) : body.error.message
}

const SUM = ['Calculator_Subtract', 'Calculator_Sum']

describe('the URL of a toolset, with a key', () => {
  it('lists and calls the tools as the toolset defines them', async () => {
    expect(await namesAt('/mcp/t/sales')).toEqual(SUM)
    expect(await call('/mcp/t/sales', 'Calculator_Sum', { b: 2 })).toEqual({ result: 42 })
    const { body } = await rpc(origin, key, 'tools/list', {}, '/mcp/t/sales')
    const sum = body.result.tools.find(({ name }: { name: string }) => name === 'Calculator_Sum')
    expect(sum.description).toContain('Adds to 40.')
    expect(Object.keys(sum.inputSchema.properties)).toEqual(['b'])
  })

  it.each([
    ['another value', { a: 1, b: 2 }],
    ['null', { a: null, b: 2 }],
    ['the same value', { a: 40, b: 2 }],
  ])('refuses %s for a fixed argument', async (_, args) => {
    expect(await call('/mcp/t/sales', 'Calculator_Sum', args)).not.toEqual(
      expect.objectContaining({ result: expect.anything() }),
    )
  })

  it('does not pass on `_meta` among the arguments', async () => {
    const answer = await call('/mcp/t/sales', 'Calculator_Sum', { b: 2, _meta: { a: 1 } })
    expect(answer).not.toEqual(expect.objectContaining({ result: 3 }))
    const { body } = await rpc(
      origin,
      key,
      'tools/call',
      { name: 'Calculator_Sum', arguments: { b: 2 }, _meta: { arguments: { a: 1 }, a: 1 } },
      '/mcp/t/sales',
    )
    expect(body.result.structuredContent).toEqual({ result: 42 })
  })

  it.each([
    ['its own name', 'Calculator_Add'],
    ['its own id', 'Calculator.Add'],
    ['its own id with a version', 'Calculator.Add@1.0.0'],
    ["another toolset's tool", 'Fixture_SimpleText'],
    ["another toolset's tool by its id", 'Fixture.SimpleText@1.0.0'],
    ["another toolset's tool by the name in its document", 'test_simple_text'],
    ['a tool of none', 'System_GetTimestamp'],
  ])('calls no tool by %s', async (_, name) => {
    for (const query of ['', '?names=bare&toolkits=Calculator', '?mode=search', '?select=1', '?tools=Calculator.Add']) {
      const answer = await call(`/mcp/t/sales${query}`, name, { a: 1, b: 2 })
      expect(typeof answer, JSON.stringify([query, answer])).toBe('string')
    }
    const searched = await call('/mcp/t/sales?mode=search', 'call_tool', { name, arguments: { a: 1, b: 2 } })
    expect(typeof searched, JSON.stringify(searched)).toBe('string')
    const described = await call('/mcp/t/sales?mode=search', 'describe_tool', { name })
    expect(described).not.toContain('"inputSchema"')
  })

  it("calls and describes the toolset's tools through the three tools of search mode", async () => {
    expect(await namesAt('/mcp/t/sales?mode=search')).toEqual([
      'Calculator_Sum',
      'call_tool',
      'describe_tool',
      'search_tools',
    ])
    expect(await call('/mcp/t/sales?mode=search', 'Calculator_Sum', { b: 2 })).toEqual({ result: 42 })
    const sum = { name: 'Calculator_Sum', arguments: { b: 2 } }
    expect(await call('/mcp/t/sales?mode=search', 'call_tool', sum)).toEqual({ result: 42 })
    expect(await call('/mcp/t/sales?mode=search', 'call_tool', { ...sum, arguments: '{"a": 1, "b": 2}' })).toEqual(
      expect.stringContaining('- a: Is s'),
    )
    const described = JSON.parse(await call('/mcp/t/sales?mode=search', 'describe_tool', { name: 'Calculator_Sum' }))
    expect(Object.keys(described.inputSchema.properties)).toEqual(['b'])
    const { tools } = JSON.parse(await call('/mcp/t/sales?mode=search', 'search_tools', { query: '' }))
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(SUM)
  })

  it("is narrowed further by the query, including by the toolset's own names", async () => {
    expect(await namesAt('/mcp/t/sales?tools=Calculator.Subtract')).toEqual(['Calculator_Subtract'])
    expect(await namesAt('/mcp/t/sales?tools=Calculator.Sum')).toEqual(['Calculator_Sum'])
    expect(await namesAt('/mcp/t/sales?tools=Calculator_Sum')).toEqual(['Calculator_Sum'])
    expect(await namesAt('/mcp/t/sales?toolkits=Calculator')).toEqual(SUM)
    expect(await namesAt('/mcp/t/sales?toolkits=Calculator&names=bare')).toEqual(['Subtract', 'Sum'])
    expect(await call('/mcp/t/sales?toolkits=Calculator&names=bare', 'Sum', { b: 2 })).toEqual({ result: 42 })
    expect(await call('/mcp/t/sales?tools=Calculator.Sum', 'Calculator_Sum', { b: 2 })).toEqual({ result: 42 })
    expect(await call('/mcp/t/sales?tools=Calculator.Subtract', 'Calculator_Sum', { b: 2 })).toContain('Calculator_Sum')
    expect(await namesAt('/mcp/t/sales?mode=search&tools=Calculator.Subtract')).toEqual([
      'call_tool',
      'describe_tool',
      'search_tools',
    ])
    expect(await namesAt('/mcp/t/sales?toolset=texts')).toBe(400)
  })

  it('runs each message of a batch through the toolset', async () => {
    const messages = ['Calculator_Sum', 'Calculator_Sum', 'Calculator_Add', 'Fixture_SimpleText'].map((name, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { b: 2 } },
    }))
    const response = await fetch(`${origin}/mcp/t/sales`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'authorization': `Bearer ${key}` },
      body: JSON.stringify(messages),
    })
    const answers: any[] = await response.json()
    expect(answers.map(({ result }) => result?.structuredContent)).toEqual([
      { result: 42 },
      { result: 42 },
      undefined,
      undefined,
    ])
  })

  it('begins its instructions with those of the toolset', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const { body } = await rpc(origin, key, 'initialize', hello, '/mcp/t/sales')
    expect(body.result.instructions).toMatch(/^Count every sale\.\n\nSwitchboard gives you 2 tools of 1 toolkit/)
    expect((await rpc(origin, key, 'initialize', hello, '/mcp')).body.result.instructions).toMatch(/^Switchboard/)
  })

  it.each(['none', 'closed', 'SALES', 'sales%2F', '%73ales'])(
    'returns 404 for %s, and 401 without a valid key, whether or not the toolset exists',
    async (name) => {
      expect(await namesAt(`/mcp/t/${name}`)).toBe(404)
      expect(await namesAt('/mcp/t/sales', 'sb_none')).toBe(401)
      expect(await namesAt(`/mcp/t/${name}`, 'sb_none')).toBe(401)
    },
  )
})

describe('the URL of a toolset, with OAuth', () => {
  it.each(['none', 'closed'])('does not ask to sign in for the toolset %s', async (name) => {
    const { status, headers, body } = await rpc(origin, undefined, 'tools/list', {}, `/connect/mcp/t/${name}`)
    expect([status, headers.get('www-authenticate'), body.error.message]).toEqual([
      404,
      null,
      `There is no toolset '${name}' here`,
    ])
    const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/connect/mcp/t/${name}`)
    expect(metadata.status).toBe(404)
    const asked = await fetch(authorizeUrl(await newAgent(origin), { resource: resourceOf(name) }), {
      redirect: 'manual',
    })
    expect(asked.status).toBe(404)
  })

  it('refers callers with no token, or with one for all tools, to its own metadata', async () => {
    const { tokens } = await connectedTo('')
    for (const token of [undefined, tokens.access_token, key]) {
      const { status, headers } = await rpc(origin, token, 'tools/list', {}, '/connect/mcp/t/sales')
      expect(status).toBe(401)
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? []
      expect(metadata).toBe(`${origin}/.well-known/oauth-protected-resource/connect/mcp/t/sales`)
      expect(await (await fetch(metadata)).json()).toMatchObject({ resource: resourceOf('sales') })
    }
    expect(await namesAt('/connect/mcp', tokens.access_token)).toContain('Calculator_Add')
  })

  it("offers only the toolset's toolkits for consent, and names the toolset", async () => {
    const { text } = await ann.open(authorizeUrl(await newAgent(origin), { resource: resourceOf('sales') }))
    expect([...text.matchAll(/name="toolkit\.(\w+)"/g)].map(([, name]) => name)).toEqual(['Calculator'])
    expect(text).toContain('For sales')
    expect(text).toContain('Its owner can change which tools it has')
  })

  it('issues a token that shows only the toolset, at every URL', async () => {
    const { tokens } = await connectedTo('sales')
    const token = tokens.access_token
    for (const path of [
      '/connect/mcp/t/sales',
      '/connect/mcp',
      '/connect/mcp/t/texts',
      '/connect/mcp?toolset=texts',
      '/connect/mcp?toolkits=Calculator',
    ]) {
      expect(await namesAt(path, token), path).toEqual(SUM)
      expect(await call(path, 'Calculator_Sum', { b: 2 }, token)).toEqual({ result: 42 })
      for (const name of ['Calculator_Add', 'Fixture_SimpleText', 'Fixture.SimpleText'])
        expect(typeof (await call(path, name, { a: 1, b: 2 }, token)), path).toBe('string')
    }
    expect(await namesAt('/mcp/t/sales', token)).toBe(401)
    expect((await world.server.json('GET', '/tools', undefined, { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  it("is narrowed by a lock in the query of a request, but not by one in the resource of an agent's token", async () => {
    const [{ tokens }, { tokens: bound }] = await Promise.all([connectedTo(''), connectedTo('sales')])
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const list = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'authorization': `Bearer ${key}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }),
    })
    const { result }: any = await list.json()
    const listed = result.tools.find(({ name }: { name: string }) => name === 'Calculator_Subtract')
    const digest = createHash('sha256')
      .update(canonicalize(listed) ?? '')
      .digest('hex')
    const tools = { Calculator_Subtract: { id: listed._meta['dev.switchboard/id'], digest: `sha256:${digest}` } }
    const lock = { version: 1, digest_form: 'sep-2636/2026-09', tools }
    const { hash } = (await world.server.json('PUT', '/locks', lock, asAdmin)).body
    for (const [path, token] of [
      [`/connect/mcp?lock=${hash}`, tokens.access_token],
      [`/connect/mcp/t/sales?lock=${hash}`, bound.access_token],
      [`/connect/mcp?lock=${hash}`, bound.access_token],
      [`/mcp/t/sales?lock=${hash}`, key],
    ] as const) {
      expect(await namesAt(path, token), path).toEqual(['Calculator_Subtract'])
      expect(typeof (await call(path, 'Calculator_Sum', { b: 2 }, token)), path).toBe('string')
    }
    expect(await namesAt('/connect/mcp', bound.access_token)).toEqual(SUM)
    const agent = await newAgent(origin)
    const resource = `${resourceOf('sales')}?lock=${hash}`
    const answer = await redeem(agent, await codeFor(ann, agent, ['Calculator'], { resource }), { resource })
    expect(await namesAt('/connect/mcp', ((await answer.json()) as Tokens).access_token)).toEqual(SUM)
    expect(await namesAt(`/connect/mcp?lock=sha256:${'0'.repeat(64)}`, bound.access_token)).toBe(404)
  })

  it("issues no token for a resource other than the code's", async () => {
    const agent = await newAgent(origin)
    const code = () => codeFor(ann, agent, ['Calculator'], { resource: resourceOf('sales') })
    for (const resource of [`${origin}/connect/mcp`, resourceOf('texts'), `${origin}/mcp/t/sales`])
      expect(await (await redeem(agent, await code(), { resource })).json()).toMatchObject({ error: 'invalid_target' })
    const plain = await codeFor(ann, agent, ['Calculator'])
    expect((await redeem(agent, plain, { resource: resourceOf('sales') })).status).toBe(400)
    const { agent: bound, tokens } = await connectedTo('sales')
    const widened = await refresh(bound, tokens.refresh_token, { resource: `${origin}/connect/mcp` })
    expect(widened.status).toBe(400)
  })

  it('shows the toolset of each agent in the lists of agents', async () => {
    const { tokens } = await connectedTo('sales')
    const id = tokens.access_token.split(':')[0]
    const { items } = JSON.parse((await ann.open(`${origin}/users/ann%40acme.test/agents`)).text)
    expect(items.find((agent: { id: string }) => agent.id === id)).toMatchObject({
      toolset: 'sales',
      toolkits: ['Calculator'],
    })
    expect((await ann.open(`${origin}/console/agents`)).text).toContain('of the toolset sales')
  })

  it("shows the toolset's current tools, and none once it is disabled or deleted", async () => {
    await put('changing', { tools: [{ tool: 'Calculator.Add' }, { tool: 'Fixture.SimpleText' }] })
    const { tokens } = await connectedTo('changing')
    const token = tokens.access_token
    expect(await namesAt('/connect/mcp', token)).toEqual(['Calculator_Add'])
    await put('changing', { tools: [{ tool: 'Calculator.Subtract' }, { tool: 'Fixture.SimpleText' }] })
    expect(await namesAt('/connect/mcp', token)).toEqual(['Calculator_Subtract'])
    await put('changing', { tools: [{ tool: '*' }], enabled: false })
    for (const path of ['/connect/mcp', '/connect/mcp/t/changing', '/connect/mcp/t/sales']) {
      expect(await namesAt(path, token)).toEqual([])
      expect(typeof (await call(path, 'Calculator_Subtract', { a: 2, b: 1 }, token))).toBe('string')
    }
    await world.server.json('DELETE', '/toolsets/changing', undefined, asAdmin)
    expect(await namesAt('/connect/mcp', token)).toEqual([])
  })

  it('gives an agent connected with a key for one toolset no other tools', async () => {
    const ownServer = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
    try {
      const { url, json } = ownServer
      await json('PUT', '/toolsets/sales', SALES, asAdmin)
      await json('PUT', '/toolsets/texts', { tools: [{ tool: 'Fixture.SimpleText' }] }, asAdmin)
      const bound = {
        name: 'k',
        scopes: ['tools:read', 'tools:call'],
        tools: ['Calculator.*', 'Fixture.*'],
        toolset: 'sales',
      }
      const made = await json('POST', '/keys', bound, asAdmin)
      const who = new HttpPerson()
      await who.post(`${url}/sign-in/key`, { key: made.body.key }, { origin: url })
      const agent = await newAgent(url)
      const code = await codeFor(who, agent, ['Calculator', 'Fixture'])
      const { access_token }: Tokens = await (await redeem(agent, code)).json()
      const { body } = await rpc(url, access_token, 'tools/list')
      expect(body.result.tools.map(({ name }: { name: string }) => name).sort()).toEqual(SUM)
      const other = await who.open(authorizeUrl(agent, { resource: `${url}/connect/mcp/t/texts` }))
      expect([other.status, other.text]).toEqual([400, expect.stringContaining('key for the toolset &#39;sales&#39;')])
    } finally {
      await ownServer.stop()
    }
  })
})
