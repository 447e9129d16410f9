import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../src/core/access/principal.ts'
import { fail, ok, Unreachable } from '../../src/core/failure/failure.ts'
import { createFlows } from '../../src/sign-in/flow-cookie.ts'
import { signInFace, type SignInFaceDeps } from '../../src/sign-in/routes.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { AWAY, awayOf, onPageError, REFERENCE } from '../http/on-page-error.ts'

const ORIGIN = 'https://sb.example'
const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody' })
const away = () => Promise.reject(new Unreachable('Switchboard cannot reach its keys right now'))
const request = { state: 's1', nonce: 'n1', verifier: 'v1', callback: `${ORIGIN}/sign-in/callback` }
const sealer = createKeyring(['of the tests'], 'sign-in')
const flows = createFlows(sealer, () => 0)

const provider = {
  openId: {
    begin: async () => ({ ok: true, url: 'https://id.example/auth', request }) as const,
    finish: async () => ({ ok: true, claims: { email: 'ann@acme.test', email_verified: true } }) as const,
  },
  issuer: 'https://id.example',
  prefix: '',
  claims: { groups: 'groups' },
  rules: [{ domain: 'acme.test', scopes: ['tools:call'], tools: ['*'] }],
} as const satisfies SignInFaceDeps['provider']

function faceWith(change: Partial<SignInFaceDeps>, sessions: object = {}) {
  const face = signInFace({
    sessions: {
      signedIn: () => NOBODY,
      begin: async () => 'switchboard-session=x',
      signOut: async () => 'switchboard-session=',
      ...sessions,
    } as unknown as SignInFaceDeps['sessions'],
    provider,
    flows,
    authenticator: { holderOf: async () => ({ result: ok(ADMIN) }) },
    sha256: async (text) => text,
    shield: () => undefined,
    now: () => 0,
    onPageError,
    ...change,
  })
  const app = new Hono().route('/', face)
  const post = (path: string, fields: Record<string, string>) =>
    app.request(ORIGIN + path, { method: 'POST', body: new URLSearchParams(fields) })
  return {
    begin: () => app.request(`${ORIGIN}/sign-in`),
    async comeBack() {
      const cookies = await flows.keep(new Request(ORIGIN), { request, back: '/' })
      const cookie = cookies.map((each) => each.split(';')[0]).join('; ')
      return app.request(`${request.callback}?code=c&state=s1`, { headers: { cookie } })
    },
    sendKey: () => post('/sign-in/key', { key: `sb_${'x'.repeat(43)}` }),
    signOut: () => post('/sign-out', {}),
  }
}

describe('signing in and out', () => {
  it('works while all can be reached', async () => {
    const { begin, comeBack, signOut } = faceWith({})
    for (const answer of [await begin(), await comeBack()]) expect(answer.status).toBe(302)
    expect((await signOut()).status).toBe(200)
    expect((await faceWith({ provider: undefined }).sendKey()).status).toBe(302)
  })

  it('says so to a person while the deployment cannot be reached for it', async () => {
    const sealing = createFlows({ seal: away, open: away }, () => 0)
    for (const answer of [
      await faceWith({ flows: sealing }).begin(),
      await faceWith({ flows: sealing }).comeBack(),
      await faceWith({}, { signedIn: () => fail({ type: 'unavailable', message: 'Not now' }) }).begin(),
      await faceWith({}, { begin: away }).comeBack(),
      await faceWith({ provider: undefined }, { begin: away }).sendKey(),
      await faceWith({}, { signOut: away }).signOut(),
    ]) {
      expect(await awayOf(answer)).toEqual(AWAY)
    }
  })

  it('says nothing of a defect but its reference', async () => {
    const broken = () => Promise.reject(new Error('secret-detail'))
    const answer = await faceWith({}, { begin: broken }).comeBack()
    expect(answer.status).toBe(500)
    const text = await answer.text()
    expect(text).toContain(REFERENCE)
    expect(text).not.toContain('secret-detail')
  })
})
