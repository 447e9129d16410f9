import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../src/core/access/principal.ts'
import { fail, UnreachableError } from '../../src/core/failure/failure.ts'
import type { ConnectRoutesDeps } from '../../src/connect/routes.ts'
import { ASK, asked, faceWith, listed, ORIGIN, findSession } from './face.ts'

const DAY = 86_400_000
const limited = { limitAnonymous: () => fail({ type: 'rate-limited', retry_after_ms: 9_000 }) }
const nobody = { sessions: { findSession: async () => fail({ type: 'unauthenticated', reason: 'Nobody' }) } }
const person = { kind: 'person', person: { user: 'ann@acme.test', groups: [] } }
const DOCUMENT = 'https://agent.example/client.json'
const withDocument = (more: object = {}): Partial<ConnectRoutesDeps> => ({
  fetchFor: () => async () =>
    Response.json({ client_id: DOCUMENT, client_name: 'Its name', redirect_uris: [asked.redirectUri], ...more }),
})
const refusing = { ok: false, message: 'Its id is unknown', back: undefined } as const

async function seen(answer: Response | Promise<Response>) {
  const response = await answer
  const text = await response.text()
  const title = /<title>(.*) · Switchboard<\/title>/.exec(text)?.[1]
  return { status: response.status, title, to: response.headers.get('location'), text }
}
/** The page as a person reads it. */
const words = async (answer: Response | Promise<Response>) =>
  (await seen(answer)).text
    .replace(/^.*<main>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('the consent page of an agent', () => {
  it('names the client, the redirect address and the person', async () => {
    const page = await words(faceWith({ sessions: { findSession: async () => findSession(person) } }).ask())
    expect(page).toContain('Let an agent act for you?')
    expect(page).toContain('Returns to 127.0.0.1:7777 Name “An agent” Not verified: any program can use this name.')
    expect(page).toContain('Signed in as ann@acme.test ')
    expect(page).toContain('This agent runs on your own computer')
    expect(await words(faceWith().ask())).toContain('Signed in as admin ')
    const ofOne = { ...ADMIN, id: 'key:1', users: ['ann'] }
    const byKey = faceWith({ sessions: { findSession: async () => findSession(undefined, ofOne) } })
    expect(await words(byKey.ask())).toContain('Signed in as ann ')
  })

  it('of a remote client says nothing about this computer, and shows the host if there is no name', async () => {
    const remote = { ...asked, client: { id: 'c1', name: undefined }, redirectUri: 'https://agent.example/back' }
    const page = await words(faceWith({}, { readAuthorizationRequest: async () => remote }).ask())
    expect(page).toContain('Name “agent.example”')
    expect(page).not.toContain('your own computer')
    const long = { ...asked, client: { id: 'c1', name: 'n'.repeat(300) } }
    const { agents, decide } = faceWith({}, { readAuthorizationRequest: async () => long })
    await decide()
    expect(agents[0]?.client.name).toBe(`${'n'.repeat(200)}…`)
  })

  it.each([
    ['cursor://claude.ai/oauth/callback', 'cursor://claude.ai', 'cursor:'],
    ['com.example.app:/back', 'com.example.app://', 'com.example.app:'],
  ])('shows the scheme of an app, which any app can claim: %s', async (redirectUri, shown, scheme) => {
    const app = { ...asked, client: { id: 'c1', name: undefined }, redirectUri, refusal: `${redirectUri}?error=x` }
    const { ask, decide, agents } = faceWith(
      {},
      {
        readAuthorizationRequest: async () => app,
        authorizeAgent: async (_, agent) => (agents.push(agent), { ok: true, to: `${redirectUri}?code=c` }),
      },
    )
    const page = await words(ask())
    expect(page).toContain(`Returns to ${shown} Name “${shown}” Not verified`)
    expect(page).toContain(`handles links beginning with ${scheme} . Any app can claim them`)
    expect(page).not.toContain('runs on your own computer')
    const answer = await ask()
    // Browsers hold the redirect after the form to it
    expect(answer.headers.get('content-security-policy')).not.toContain('form-action')
    expect((await seen(decide())).to).toBe(`${redirectUri}?code=c`)
    expect(agents[0]?.client.host).toBe(shown)
    expect((await seen(decide({ decision: 'refuse' }))).to).toBe(`${redirectUri}?error=x`)
  })

  it('names the host of the document that describes the client, and passes the document on', async () => {
    const given: unknown[] = []
    const { get } = faceWith(withDocument(), {
      readAuthorizationRequest: async (request) => (
        given.push(request),
        { ...asked, client: { id: DOCUMENT, name: 'Its name' } }
      ),
    })
    const page = await words(get(`/connect/authorize?client_id=${DOCUMENT}`))
    expect(page).toContain('Verified: agent.example publishes this agent.')
    expect(given).toEqual([
      {
        url: `${ORIGIN}/connect/authorize?client_id=${DOCUMENT}`,
        document: expect.objectContaining({ clientId: DOCUMENT }),
      },
    ])
    const { text, status } = await seen(
      faceWith(withDocument({ client_secret: 'x' })).get(`/connect/authorize?client_id=${DOCUMENT}`),
    )
    expect([status, text]).toEqual([400, expect.stringContaining('Its document must not have a secret.')])
  })

  it('offers the tools that the person may use, by toolkit, with the effects of their calls', async () => {
    const many = Array.from({ length: 14 }, (_, n) => ['Files', `Tool${n}`] as const)
    const { text } = await seen(
      faceWith({
        catalog: listed([['Mail', 'Send', 8], ['Mail', 'Read'], ['Notes', 'Write', 4], ['Low', 'Look', 3], ...many]),
      }).ask(),
    )
    const page = await words(new Response(text))
    expect(page).toContain('Mail 2 tools , level up to 8: some calls need approval Notes')
    expect(page).toContain('Notes 1 tool , level up to 4: can make changes Low')
    expect(page).toContain('Low 1 tool , level up to 3 Files 14 tools ')
    expect(page).toContain('0 of 4 selected ')
    expect(page).toContain('Access expires after 1 day 7 days 30 days 90 days Allow Deny')
    expect(text).toContain('<option value="30" selected="">30 days')
    expect(text.match(/ selected=/g)).toHaveLength(1)
    expect(text).not.toContain(' checked')
    expect(text).not.toContain('role="alert"')
    expect(page).not.toContain('You have no tools')
  })

  it('offers nothing if there are no tools, and can be refused', async () => {
    const page = await words(faceWith({ catalog: listed([]) }).ask())
    expect(page).toContain('You have no tools to share with an agent. Deny The agent can list')
    expect(page).not.toContain('Allow')
  })

  it('names the toolset that the agent is bound to, and offers its toolkits only', async () => {
    const resource = `&resource=${encodeURIComponent(`${ORIGIN}/connect/mcp/t/sales?lock=x`)}`
    const seers: object[] = []
    const catalog = listed([
      ['Mail', 'Send'],
      ['Notes', 'Write'],
    ])
    const list: typeof catalog.list = async (...given) => (seers.push(given[1]), catalog.list(...given))
    const { get, post, agents, audit } = faceWith({ catalog: { ...catalog, list } })
    const page = await words(get(ASK + resource))
    expect(page).toContain('Toolset “For sales” sales : the agent sees nothing else. Its owner can change which tools')
    expect(page).toContain('Mail 1 tool')
    expect(page).not.toContain('Notes')
    expect(seers[0]).toMatchObject({ id: 'admin', toolset: 'sales', view: { toolset: { name: 'sales' } } })
    await post(ASK + resource, { 'toolkit.Mail': '1', 'days': '7', 'decision': 'allow' })
    expect(agents[0]).toMatchObject({ toolset: 'sales', toolkits: ['Mail'] })
    expect(audit[0]).toMatchObject({ about: { toolset: 'sales' } })
    expect(await words(faceWith().ask())).not.toContain('Toolset')
  })

  it('is not shown for an unknown toolset, even before signing in', async () => {
    const ask = ASK + `&resource=${encodeURIComponent(`${ORIGIN}/connect/mcp/t/none`)}`
    const { status, text } = await seen(faceWith(nobody).get(ask))
    expect([status, text]).toEqual([404, expect.stringContaining('There is no toolset &#39;none&#39; here.')])
    expect((await seen(faceWith(limited).get(ask))).status).toBe(429)
    const findToolset = () => Promise.reject(new UnreachableError('Not now'))
    expect((await seen(faceWith({ findToolset }).get(ask))).status).toBe(503)
  })

  it.each([
    ['what the resource names', `${ORIGIN}/connect/mcp?toolkits=MAIL,%20files&toolkits=x`, ['Mail', 'Files']],
    ['all, where it names none that is there', `${ORIGIN}/connect/mcp?toolkits=x`, ['Mail', 'Notes', 'Files']],
    ['all, where it is no URL', 'x', ['Mail', 'Notes', 'Files']],
  ])('offers %s', async (_, resource, toolkits) => {
    const catalog = listed([
      ['Mail', 'Send'],
      ['Notes', 'Write'],
      ['Files', 'Read'],
    ])
    const { text } = await seen(
      faceWith({ catalog }, { readAuthorizationRequest: async () => ({ ...asked, resource }) }).ask(),
    )
    expect([...text.matchAll(/name="toolkit\.(\w+)"/g)].map(([, name]) => name)).toEqual(toolkits)
  })

  it('redirects a person without a session to sign in first, and back', async () => {
    const { ask, agents, decide } = faceWith(nobody)
    expect(await seen(ask())).toMatchObject({
      status: 302,
      to: '/sign-in?return=/connect/authorize?response_type=code%26client_id=c1',
    })
    expect(await seen(decide())).toMatchObject({ status: 403, title: 'You are not signed in' })
    expect(agents).toEqual([])
  })

  it('looks up nothing for visitors without a session, and counts session lookups against their limit', async () => {
    const looked: unknown[] = []
    const look = async () => (looked.push(1), asked)
    const { get } = faceWith(
      { ...nobody, installBundle: async () => void looked.push(2) },
      { readAuthorizationRequest: look },
    )
    await get(`/connect/authorize?client_id=${DOCUMENT}`)
    expect(looked).toEqual([])
    let left = 1
    const limitAnonymous = () => (left-- > 0 ? undefined : limited.limitAnonymous())
    const findSession = (_: Request, mayLookUp: () => unknown) => (
      looked.push(mayLookUp()),
      nobody.sessions.findSession()
    )
    await faceWith({ limitAnonymous, sessions: { findSession } as never }).ask()
    expect(looked).toEqual([limited.limitAnonymous()])
  })

  it.each<[string, Parameters<typeof faceWith>, string, [number, string]]>([
    ['too often', [limited], ASK, [429, 'Wait a moment']],
    ['over plain http', [], `http://sb.example${ASK}`, [400, 'Open this Switchboard over https']],
    [
      'with too long a link',
      [],
      `${ASK}&x=${'x'.repeat(8_192)}`,
      [400, 'The link is too long: wanted at most 8192 characters'],
    ],
    [
      'with a link that signing in makes too long',
      [nobody],
      `${ASK}&x=${'&'.repeat(7_000)}`,
      [400, 'The link is too long'],
    ],
    [
      'while sessions cannot be reached',
      [{ sessions: { findSession: async () => fail({ type: 'unavailable', message: 'x' }) } }],
      ASK,
      [503, 'Wait a moment'],
    ],
    [
      'with what the server refuses',
      [{}, { readAuthorizationRequest: async () => refusing }],
      ASK,
      [400, 'Its id is unknown.'],
    ],
  ])('is refused %s', async (_, how, path, [status, text]) => {
    const answer = await seen(faceWith(...how).get(path))
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
    expect(answer.text).not.toContain('Go back to')
  })

  it('accepts a link of any allowed length', async () => {
    const rest = `${ORIGIN}${ASK}&x=`.length
    expect((await faceWith().ask(`&x=${'x'.repeat(8_192 - rest)}`)).status).toBe(200)
  })

  it('links back to the client if it has an address', async () => {
    const back = 'https://agent.example/back?error=invalid_scope'
    const { text } = await seen(faceWith({}, { readAuthorizationRequest: async () => ({ ...refusing, back }) }).ask())
    expect(text).toContain(`href="${back}">Go back to agent.example`)
  })
})

describe('the decision', () => {
  it('to allow approves the agent for the selected toolkits and time', async () => {
    const catalog = listed([
      ['Mail', 'Send'],
      ['Notes', 'Write'],
    ])
    const { decide, agents, audit } = faceWith({
      catalog,
      now: () => DAY,
      sessions: { findSession: async () => findSession(person) },
    })
    expect(await seen(decide())).toMatchObject({ status: 302, to: 'http://127.0.0.1:7777/callback?code=c' })
    const agent = {
      id: 'agent-1',
      authenticatedBy: person,
      owner: 'admin',
      holder: { kind: 'principal', id: 'admin' },
      client: { id: 'c1', name: 'An agent', host: '127.0.0.1:7777' },
      toolkits: ['Mail'],
      scopes: ['tools:read', 'tools:call'],
      origin: ORIGIN,
      created_at: '1970-01-02T00:00:00.000Z',
      expires_at: '1970-01-09T00:00:00.000Z',
    }
    expect(agents).toEqual([agent])
    const { id, toolkits, expires_at } = agent
    const about = { id, name: 'An agent', host: '127.0.0.1:7777', toolkits, expires_at }
    expect(audit).toEqual([
      expect.objectContaining({
        at: DAY,
        act: 'agent.connect',
        outcome: 'success',
        status: 302,
        principal: 'admin',
        about,
      }),
    ])
  })

  it.each(['1', '30', '90'])('may be for %s days', async (days) => {
    const { decide, agents } = faceWith()
    await decide({ days })
    expect(agents.map(({ expires_at }) => Date.parse(expires_at))).toEqual([Number(days) * DAY])
  })

  it.each([['refuse'], ['Allow'], ['']])(
    "'%s' redirects with a refusal, and writes an audit event",
    async (decision) => {
      const { decide, agents, audit } = faceWith()
      expect(await seen(decide({ decision }))).toMatchObject({ status: 302, to: asked.refusal })
      expect(agents).toEqual([])
      expect(audit).toEqual([
        expect.objectContaining({ act: 'agent.refuse', about: { name: 'An agent', host: '127.0.0.1:7777' } }),
      ])
    },
  )

  it.each([
    ['what nobody offers', { 'toolkit.Mail': '', 'toolkit.Other': '1' }, 200],
    ['no time', { days: '' }, 'Choose when access expires.'],
    ['another time', { days: '8' }, 'Choose when access expires.'],
    ['a time that is written otherwise', { days: '7.0' }, 'Choose when access expires.'],
  ])('for %s must be repeated', async (_, fields, problem) => {
    const { decide, agents } = faceWith()
    const { status, text } = await seen(decide(fields))
    if (problem === 200) return expect(agents.map(({ toolkits }) => toolkits)).toEqual([['Mail']])
    expect([status, agents]).toEqual([400, []])
    expect(text).toContain(`role="alert">${problem}`)
    expect(text).toContain('name="toolkit.Mail" value="1" checked=""')
  })

  it('for no toolkit must be repeated', async () => {
    const { post, agents } = faceWith()
    const { status, text } = await seen(post(ASK, { days: '7', decision: 'allow', 'toolkit.Other': '1' }))
    expect([status, agents]).toEqual([400, []])
    expect(text).toContain('role="alert">Select at least one toolkit, or refuse.')
    expect(text).not.toContain(' checked')
  })

  it.each([
    ['all', 2],
    ['none', 0],
  ])('is not made by selecting %s, which keeps the rest of the form', async (decision, count) => {
    const catalog = listed([
      ['Mail', 'Send'],
      ['Notes', 'Write'],
    ])
    const { decide, agents, audit } = faceWith({ catalog })
    const { status, text } = await seen(decide({ decision }))
    expect([status, agents, audit]).toEqual([200, [], []])
    expect(text.match(/ checked=/g)?.length ?? 0).toBe(count)
    expect(text).toContain('<option value="7" selected="">')
  })

  it('that is too late is refused with the reason, without an audit event', async () => {
    const { decide, audit } = faceWith(
      {},
      { authorizeAgent: async () => ({ ...refusing, back: 'https://agent.example/' }) },
    )
    const { status, text } = await seen(decide())
    expect([status, audit]).toEqual([400, []])
    expect(text).toContain('Its id is unknown.')
    expect(text).toContain('Go back to agent.example')
  })

  it.each<[string, Record<string, string>, Record<string, string>, number]>([
    ['of another site', {}, { origin: 'https://evil.test' }, 403],
    ['in too long a form', { more: 'x'.repeat(65_536) }, {}, 413],
  ])('%s is refused', async (_, more, headers, status) => {
    const { post, agents } = faceWith()
    const answer = await post(ASK, { 'toolkit.Mail': '1', 'days': '7', 'decision': 'allow', ...more }, headers)
    expect([answer.status, agents]).toEqual([status, []])
  })
})
