import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeUrl, codeFor, connected, decide, newAgent, redeem, rpc } from '../e2e/oauth/agent.ts'
import { asAdmin, type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import { startServer } from '../e2e/server.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { neverSilent, watched } from './watch.ts'

let world: ConnectWorld
let origin: string

beforeAll(async () => {
  world = await startConnectWorld({}, [], undefined, startServer)
  watched(world.server)
  origin = world.server.url
})
afterAll(() => world?.stop())
afterAll(neverSilent)

const ALLOW = { 'toolkit.Calculator': '1', 'days': '30', 'decision': 'allow' }

it.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://evil.test' }],
  ['another site, as browsers say it', { 'origin': '', 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['a typed address', { 'sec-fetch-site': 'none' }],
])('a consent form that comes from %s is refused', async (_, { origin: from, ...headers }) => {
  const ann = await world.findSession('ann')
  const agent = await newAgent(origin)
  const sent = from === undefined || from === '' ? headers : { ...headers, origin: from }
  const answer = await decide(ann, authorizeUrl(agent), ALLOW, sent)
  expect(answer).toMatchObject({ status: 403, location: undefined })
  expect(answer.text).toContain('sent by another site')
})

it('opening a link gives no consent, whatever parameters the link has', async () => {
  const ann = await world.findSession('ann')
  const url = new URL(authorizeUrl(await newAgent(origin)))
  for (const [name, value] of Object.entries(ALLOW)) url.searchParams.set(name, value)
  const { status, url: ended, text } = await ann.open(url.href)
  expect([status, new URL(ended).pathname]).toEqual([200, '/connect/authorize'])
  expect(text).not.toContain(' checked')
})

it.each([
  ['client_id', (mine: string) => mine],
  ['redirect_uri', () => 'https://evil.test/callback'],
  ['scope', () => 'admin'],
  ['state', () => 'another'],
  ['code_challenge', () => 'x'.repeat(43)],
  ['response_type', () => 'token'],
  ['code_challenge_method', () => 'plain'],
])('a consent link with %s twice is refused, because parsers differ on which one applies', async (name, second) => {
  const ann = await world.findSession('ann')
  const [agent, mine] = await Promise.all([newAgent(origin), newAgent(origin)])
  const link = new URL(authorizeUrl(agent))
  link.searchParams.append(name, second(mine.clientId))
  const answer = await decide(ann, link.href, ALLOW)
  expect(answer).toMatchObject({ status: 400, location: undefined })
  expect(answer.text).toContain(`The link has &#39;${name}&#39; more than once`)
  expect((await ann.open(link.href)).status).toBe(400)
})

it('a consent form without a valid decision gives no consent', async () => {
  const ann = await world.findSession('ann')
  const url = authorizeUrl(await newAgent(origin))
  const { decision: _, ...unanswered } = ALLOW
  for (const fields of [
    unanswered,
    ...['', 'Allow', 'refused', 'allow '].map((decision) => ({ ...ALLOW, decision })),
  ]) {
    const { location } = await decide(ann, url, fields)
    expect(location?.searchParams.get('error'), JSON.stringify(fields)).toBe('access_denied')
    expect(location?.searchParams.has('code')).toBe(false)
  }
})

it('a consent form is refused from a person who is not signed in or has signed out, and from a key', async () => {
  const agent = await newAgent(origin)
  expect(await decide(new HttpPerson(), authorizeUrl(agent), ALLOW)).toMatchObject({ status: 403 })
  const ann = await world.findSession('ann')
  const kept = ann.copy()
  await ann.send('POST', `${origin}/sign-out`)
  for (const who of [ann, kept]) {
    expect(await decide(who, authorizeUrl(agent), ALLOW)).toMatchObject({ status: 403, location: undefined })
  }
  const byKey = await decide(new HttpPerson(), authorizeUrl(agent), ALLOW, { ...asAdmin, origin })
  expect(byKey).toMatchObject({ status: 403, location: undefined })
  const made = await world.server.json('POST', '/keys', { name: 'k', scopes: ['admin'], tools: ['*'] }, asAdmin)
  const signIn = await new HttpPerson().post(`${origin}/sign-in/key`, { key: made.body.key }, { origin })
  expect(signIn.status).toBe(404)
})

it('a consent form cannot name toolkits that the person may not use, nor another duration', async () => {
  const ann = await world.findSession('ann')
  const agent = await newAgent(origin)
  for (const more of [{ 'toolkit.Doorbell': '1' }, { 'toolkit.*': '1' }, { 'toolkit.': '1' }]) {
    const fields = { ...ALLOW, ...more }
    const code = (await decide(ann, authorizeUrl(agent), fields)).location?.searchParams.get('code') ?? ''
    const { access_token }: { access_token: string } = await (await redeem(agent, code)).json()
    const { body } = await rpc(origin, access_token, 'tools/list')
    const names: string[] = body.result.tools.map(({ name }: { name: string }) => name)
    expect(names.filter((name) => !name.startsWith('Calculator'))).toEqual([])
  }
  for (const days of ['0', '-1', '36500', 'NaN', '1e9', '']) {
    expect(await decide(ann, authorizeUrl(agent), { ...ALLOW, days })).toMatchObject({ status: 400 })
  }
})

it("an agent that Bob connected gets no access to Ann's account unless Ann allows it", async () => {
  const [ann, bob] = await Promise.all([world.findSession('ann'), world.findSession('bob')])
  const agent = await newAgent(origin)
  const code = await codeFor(bob, agent, ['Calculator'])
  expect((await redeem(agent, code)).status).toBe(200)
  const listed = async (who: HttpPerson, name: string) =>
    JSON.parse((await who.open(`${origin}/users/${name}%40acme.test/agents`)).text).items
  const isTheirs = ({ client }: { client: { id: string } }) => client.id === agent.clientId
  expect((await listed(ann, 'ann')).some(isTheirs)).toBe(false)
  expect((await listed(bob, 'bob')).some(isTheirs)).toBe(true)
})

it('a token for one toolkit cannot call a tool of another, however the tool is named', async () => {
  const ann = await world.findSession('ann')
  const { tokens } = await connected(ann, origin, ['Calculator'])
  const call = (name: string, path?: string, more: object = {}) =>
    rpc(origin, tokens.access_token, 'tools/call', { name, arguments: {}, ...more }, path)
  const names = ['test_simple_text', 'Fixture_SimpleText', 'Fixture.SimpleText']
  for (const name of names) {
    for (const path of ['/connect/mcp', '/connect/mcp?toolkits=Fixture', '/connect/mcp?tools=Fixture.SimpleText']) {
      const { body } = await call(name, path)
      expect(JSON.stringify(body), `${name} at ${path}`).not.toContain('simple text response')
      expect(body.error ?? body.result.isError).toBeTruthy()
    }
  }
  const listed = await rpc(origin, tokens.access_token, 'tools/list', {}, '/connect/mcp?toolkits=Fixture')
  expect(listed.body.error.message).toContain("There is no toolkit 'Fixture' here")
  for (const [tool, input] of [
    ['search', { query: 'simple text' }],
    ['describe', { name: 'test_simple_text' }],
    ['call', { name: 'test_simple_text', arguments: {} }],
  ] as const) {
    const search = '/connect/mcp?mode=search'
    const { body } = await rpc(origin, tokens.access_token, 'tools/list', {}, search)
    const name = body.result.tools.find((each: { name: string }) => each.name.includes(tool))?.name
    const answer = await call(name, search, { arguments: input })
    expect(JSON.stringify(answer.body)).not.toContain('This is a simple text response')
    expect(JSON.stringify(answer.body)).not.toContain('"test_simple_text"')
  }
})

it('a token acts only for the person who gave it', async () => {
  const ann = await world.findSession('ann')
  const { tokens } = await connected(ann, origin, ['Calculator'])
  const response = await fetch(`${origin}/connect/mcp`, {
    method: 'POST',
    headers: {
      'authorization': `Bearer ${tokens.access_token}`,
      'content-type': 'application/json',
      'x-user-id': 'bob@acme.test',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'Calculator_Add', arguments: { a: 1, b: 2 } },
    }),
  })
  expect(await response.text()).toContain('may not act for this user')
})

it('if a sign-in rule no longer matches, its agents lose access, and a reduced rule reduces theirs', async () => {
  const ann = await world.findSession('ann')
  const { tokens } = await connected(ann, origin, ['Calculator', 'Fixture'])
  const list = async () => {
    const { status, body } = await rpc(origin, tokens.access_token, 'tools/list')
    return status === 200 ? body.result.tools.map(({ name }: { name: string }) => name) : status
  }
  expect((await list()).length).toBeGreaterThan(5)
  world = await world.again([{ domain: 'acme.test', toolkits: ['Calculator'] }])
  const left: string[] = await list()
  expect(left.every((name) => name.startsWith('Calculator'))).toBe(true)
  expect(left.length).toBeGreaterThan(0)
  world = await world.again([{ domain: 'other.test' }])
  expect(await list()).toBe(401)
  world = await world.again([{ domain: 'acme.test', toolkits: ['Calculator', 'Fixture'] }])
  expect((await list()).length).toBeGreaterThan(left.length)
})
