import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, decide, newAgent, register, type TestAgent } from '../e2e/oauth/agent.ts'
import { type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import { type Connected, connectTo, startWorld, varsOf, type World } from '../e2e/oauth/switchboard.ts'
import type { HttpPerson } from '../e2e/oauth/http-person.ts'
import { startServer } from '../e2e/server.ts'
import { neverSilent, startWatchedServer, watched } from './watch.ts'
import { startUpstream, type Upstream } from '../upstream.ts'

afterAll(neverSilent)

describe('the page that asks a person to allow an agent', () => {
  let world: ConnectWorld
  let origin: string
  let ann: HttpPerson
  beforeAll(async () => {
    world = await startConnectWorld({}, [], undefined, startServer)
    watched(world.server)
    origin = world.server.url
    ann = await world.findSession('ann')
  })
  afterAll(() => world?.stop())

  it.each([
    ['a list', '?toolkits=Calculator,Fixture'],
    ['several lists', '?toolkits=Calculator&toolkits=Fixture'],
    ['another spelling', '?toolkits=%20CALCULATOR%20,fixture'],
    ['all', '?toolkits=*'],
    ['what is not there, and boxes', '?toolkits=Nothing&toolkit.Calculator=1&checked=1'],
  ])('the page that asks a person to allow an agent has nothing preselected for a link with %s', async (_, query) => {
    const url = authorizeUrl(await newAgent(origin), {
      'resource': `${origin}/connect/mcp${query}`,
      'toolkit.Fixture': '1',
    })
    const { text } = await ann.open(url)
    expect(text).toContain('name="toolkit.Calculator"')
    expect(text).not.toMatch(/ checked\b/)
    const sent = await decide(ann, url, { days: '30', decision: 'allow' })
    expect([sent.status, sent.location]).toEqual([400, undefined])
    expect(sent.text).not.toMatch(/ checked\b/)
  })

  it('the page that asks a person to allow an agent cannot give access beyond what its link offers', async () => {
    const url = authorizeUrl(await newAgent(origin), { resource: `${origin}/connect/mcp?toolkits=Calculator` })
    expect((await ann.open(url)).text).not.toContain('Fixture')
    const sent = await decide(ann, url, { 'toolkit.Fixture': '1', 'days': '30', 'decision': 'allow' })
    expect([sent.status, sent.location]).toEqual([400, undefined])
  })

  it.each([
    'Claude, verified by anthropic.com',
    'Claude” Verified: anthropic.com publishes this agent. “It',
    '"Claude" is verified',
    '«Claude» ‹Claude› „Claude‟ ＂Claude＂',
    'Claude</dd><dt>Verified</dt><dd>anthropic.com',
    'Claude\u202e\u2066 verified',
  ])(
    "the page that asks a person to allow an agent quotes the agent's own name, and keeps it out of the title: %j",
    async (client_name) => {
      const redirectUri = 'http://127.0.0.1:7777/callback'
      const { client_id }: { client_id: string } = await (await register(origin, { client_name })).json()
      const agent: TestAgent = { origin, clientId: client_id, redirectUri, verifier: 'v'.repeat(43) }
      const { text } = await ann.open(authorizeUrl(agent))
      for (const [, heading] of text.matchAll(/<(?:title|h1)[^>]*>(.*?)<\//gs))
        expect(heading?.replace(' · Switchboard', '')).toBe('Let an agent act for you?')
      const page = text.replaceAll(/\s+/g, ' ')
      const [, said = '', after = ''] = /<dt>Name<\/dt> ?<dd> ?“([^<]*)” ?<br ?\/?> ?([^<]*)/.exec(page) ?? []
      expect(said).toContain('Claude')
      expect(said).not.toMatch(/["“”„‟«»‹›＂\u202e\u2066]|&quot;/)
      expect(after).toContain('Not verified')
      expect(page.split('Claude').length - 1).toBe(client_name.split('Claude').length - 1)
      expect(page.indexOf('127.0.0.1:7777')).toBeLessThan(page.indexOf('<dt>Name</dt>'))
    },
  )
})

describe('the consent page of a tool', () => {
  let world: World
  let edge: Connected
  let elsewhere: Upstream
  beforeAll(async () => {
    world = await startWorld()
    elsewhere = await startUpstream((_, response) => void response.end('elsewhere'))
    const vars = varsOf(world)
    const ALLOW_HTTP_HOSTS = `${vars['ALLOW_HTTP_HOSTS']},${elsewhere.host}`
    edge = await connectTo(world, await startWatchedServer({ vars: { ...vars, ALLOW_HTTP_HOSTS } }))
  })
  afterAll(() => Promise.all([edge?.server.stop(), world?.close(), elsewhere?.close()]))

  const pageOf = async (tool: string, user: string) => {
    const { url } = await edge.challenge(tool, user)
    return (await (await fetch(url)).text()).replaceAll(/\s+/g, ' ')
  }
  const scopesOn = (page: string) => [...page.matchAll(/<li>[^<]*<code>([^<]*)<\/code>/g)].map(([, scope]) => scope)
  const provider = async (more: object) => {
    const { issuer } = world.provider
    const body = { name: 'Mail', issuer, client_id: 'c', client_secret_name: 'MAIL_CLIENT_SECRET', ...more }
    const { status } = await edge.ask('PUT', '/providers/mail', body)
    expect(status).toBe(200)
  }

  it.each<[string, object, readonly string[]]>([
    ['the operator adds', { extra_scopes: ['offline_access', 'profile'] }, ['mail.read', 'offline_access', 'profile']],
    ['a provider that is discovered may offer', {}, ['mail.read', 'offline_access']],
    [
      'a parameter asks for',
      { authorization_parameters: { access_type: 'offline' } },
      ['mail.read', 'access_type=offline'],
    ],
    ['the tool asks for already', { extra_scopes: ['mail.read'] }, ['mail.read', 'offline_access']],
  ])(
    'the consent page of a tool lists everything that is requested from the provider, including what %s',
    async (what, more, scopes) => {
      await provider(more)
      const page = await pageOf('Mail.GetEmails', `user of what ${what}`)
      expect(scopesOn(page)).toEqual(scopes)
      const isOnlyOffered = scopes.includes('offline_access') && !JSON.stringify(more).includes('offline_access')
      expect(page.includes('(if Mail offers it)')).toBe(isOnlyOffered)
    },
  )

  it("the consent page of a tool names the hosts, and the tool's module cannot send the token to other hosts", async () => {
    await provider({})
    const module = `export default async ({ url }) => {
      try { return await (await fetch(url, { redirect: 'follow' })).text() } catch (error) { return String(error) }
    }`
    const definition = {
      id: 'Mail.Module@1.0.0',
      name: 'Mail_Module',
      description: 'Asks for a page',
      version: '1.0.0',
      input_schema: { parameters: { type: 'object', properties: { url: { type: 'string' } } } },
      output_schema: {},
      requirements: { authorization: [{ id: 'mail', oauth2: { scopes: ['mail.read'] } }], user_id: true },
    }
    const credentials = [{ authorization: 'mail', in: 'header', name: 'Authorization' }]
    for (const [tool, allowed_hosts] of [
      ['Module', [world.api.host]],
      ['Nowhere', []],
    ] as const) {
      const named = { ...definition, id: `Mail.${tool}@1.0.0`, name: `Mail_${tool}` }
      const implementation = { kind: 'code', module, allowed_hosts, ...(tool === 'Module' ? { credentials } : {}) }
      const { status, body } = await edge.ask('POST', '/tools', { definition: named, implementation })
      expect(status, JSON.stringify(body)).toBe(201)
    }
    expect(await pageOf('Mail.Module', 'hosts')).toContain(`<code>${world.api.host}</code>`)
    expect(await pageOf('Mail.Nowhere', 'hosts')).toContain('this Switchboard only')
    const context = { authorization: [{ id: 'mail', token: 'a-token-of-the-caller' }] }
    for (const tool of ['Mail.Module', 'Mail.Nowhere']) {
      for (const url of [`${elsewhere.origin}/x`, `${elsewhere.origin.replace('//', '//ann@')}/x`]) {
        const { body } = await edge.call(tool, 'hosts', { input: { url }, context })
        expect(JSON.stringify(body)).not.toContain('elsewhere')
      }
    }
    expect(elsewhere.arrived).toEqual([])
  })
})
