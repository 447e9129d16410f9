import { Admission } from '../../src/core/access/admission.ts'
import { describe, expect, it } from 'vitest'
import { Hono } from 'hono'
import { connectFace, type ConnectFaceDeps } from '../../src/connect/routes.ts'
import { ADMIN } from '../../src/core/access/principal.ts'
import { fail, ok, Unreachable } from '../../src/core/failure/failure.ts'
import { AWAY, awayOf, onPageError } from '../http/on-page-error.ts'

const ORIGIN = 'https://sb.example'
const PAGE = `${ORIGIN}/connect/authorize?response_type=code&client_id=c1`
const away = () => Promise.reject(new Unreachable('Switchboard cannot reach its connected agents right now'))
const session = {
  id: 's1',
  by: { key: 'h' },
  owner: 'admin',
  origin: ORIGIN,
  browser: '',
  created_at: '',
  expires_at: '',
}
const asked = {
  ok: true,
  client: { id: 'c1', name: 'An agent' },
  redirectUri: 'http://127.0.0.1:7777/callback',
  resource: undefined,
  refusal: 'http://127.0.0.1:7777/callback?error=access_denied',
} as const

/** The face, of which all works that is not changed. */
function faceWith(change: Partial<ConnectFaceDeps> = {}, server: Partial<ConnectFaceDeps['server']> = {}) {
  const oauth = { status: 200, headers: {}, body: '{}' }
  const face = connectFace({
    issuer: undefined,
    server: {
      admit: away,
      asked: async () => asked,
      letIn: async () => ({ ok: true, to: 'http://127.0.0.1:7777/callback?code=c' }),
      token: async () => oauth,
      register: async () => oauth,
      ...server,
    },
    sessions: { signedIn: () => ok({ principal: ADMIN, session, admission: new Admission('test') }) },
    fetchFor: () => () => Promise.reject(new Error('Nothing is fetched')),
    catalogue: {
      list: async () => ({
        lines: [JSON.stringify({ toolkit: 'Mail', tool: 'Send', securityLevel: 0, executable: true })],
      }),
    } as unknown as ConnectFaceDeps['catalogue'],
    prepare: () => undefined,
    onEnd: () => undefined,
    shield: () => undefined,
    newId: () => 'agent-1',
    now: () => 0,
    onPageError,
    caching: 'private, max-age=300',
    ...change,
  })
  const app = new Hono().route('/', face)
  const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })
  return {
    ask: () => app.request(PAGE),
    allow: () => app.request(PAGE, form({ 'toolkit.Mail': '1', 'days': '7', 'decision': 'allow' })),
    register: (metadata: object) =>
      app.request(`${ORIGIN}/connect/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      }),
    redeem: () => app.request(`${ORIGIN}/connect/token`, form({ grant_type: 'authorization_code', code: 'a:b:c' })),
  }
}

describe('the page that asks about an agent', () => {
  it('is there while all can be reached', async () => {
    const { ask, allow } = faceWith()
    expect((await ask()).status).toBe(200)
    expect((await allow()).headers.get('location')).toContain('code=c')
  })

  it.each<[string, ReturnType<typeof faceWith>]>([
    ['agents', faceWith({}, { asked: away })],
    ['tools', faceWith({ prepare: away })],
    ['the session', faceWith({ sessions: { signedIn: () => fail({ type: 'unavailable', message: 'Not now' }) } })],
  ])('says so to a person while %s cannot be reached', async (_, { ask, allow }) => {
    expect(await awayOf(await ask())).toEqual(AWAY)
    expect(await awayOf(await allow())).toEqual(AWAY)
  })

  it('says so when agents can be reached no more as the form comes', async () => {
    const { ask, allow } = faceWith({}, { letIn: away })
    expect((await ask()).status).toBe(200)
    expect(await awayOf(await allow())).toEqual(AWAY)
  })

  it('says when to come again to whoever asks too often', async () => {
    const { ask } = faceWith({ shield: () => fail({ type: 'rate-limited', retry_after_ms: 9_000 }) })
    const answer = await ask()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '9'])
    expect(await answer.text()).toContain('Too many requests')
  })

  it('keeps JSON for clients', async () => {
    const answer = await faceWith({}, { token: away }).redeem()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
  })
})

describe('a registration', () => {
  it('reaches the library whole, and only where its metadata is as the route declares it', async () => {
    const sent: string[] = []
    const { register } = faceWith(
      {},
      { register: async (_, body) => (sent.push(body), { status: 201, headers: {}, body: '{}' }) },
    )
    const metadata = {
      redirect_uris: ['https://a.example/back'],
      client_name: 'An agent',
      logo_uri: 'https://a.example',
    }
    expect((await register(metadata)).status).toBe(201)
    for (const wrong of [{}, { redirect_uris: [] }, { ...metadata, scope: 1 }, { client_name: 'x'.repeat(40_000) }]) {
      const answer = await register(wrong)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client_metadata' }])
    }
    expect(sent.map((body) => JSON.parse(body))).toEqual([metadata])
  })
})
