import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createOpenId } from '../../src/sign-in/openid.ts'

const ISSUER = 'https://id.test'
const CALLBACK = 'https://tools.test/sign-in/callback'
const keys = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
const as = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  id_token_signing_alg_values_supported: ['ES256'],
}

/** What sign-in learns of a person, whose ID token and UserInfo say this, and which addresses it asked. */
async function learn(idToken: object, userInfo: object, claims: readonly string[] = ['email']) {
  const asked: string[] = []
  let nonce = ''
  const openId = createOpenId({
    issuer: ISSUER,
    clientId: 'c1',
    clientSecret: 's1',
    claims,
    findServer: async () => ({ as, discovered: true }),
    judgeUrl: () => undefined,
    async fetch(input) {
      const { pathname } = new URL(String(input))
      asked.push(pathname)
      if (pathname === '/keys') return Response.json({ keys: [jwk] })
      if (pathname === '/userinfo') return Response.json({ sub: 'a1', ...userInfo })
      const now = Math.floor(Date.now() / 1_000)
      const given = { iss: ISSUER, aud: 'c1', sub: 'a1', iat: now, exp: now + 60, nonce, ...idToken }
      const id_token = await new SignJWT(given).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(keys.privateKey)
      return Response.json({ access_token: 't', token_type: 'Bearer', id_token })
    },
  })
  const begun = await openId.begin(CALLBACK, false)
  if (!begun.ok) throw new Error(begun.message)
  nonce = begun.request.nonce
  const finished = await openId.finish(`${CALLBACK}?code=x&state=${begun.request.state}`, begun.request)
  return { asked, claims: finished.ok ? finished.claims : finished.message }
}

describe('the claims of a person', () => {
  it('are those of the ID token, where it has all that is read', async () => {
    const { asked, claims } = await learn(
      { email: 'ann@acme.test', email_verified: true },
      { email: 'other@acme.test' },
    )
    expect(claims).toMatchObject({ email: 'ann@acme.test', email_verified: true })
    expect(asked).toEqual(['/token', '/keys'])
  })

  it('are completed at the UserInfo endpoint', async () => {
    const said = { email: 'ann@acme.test', email_verified: true, groups: ['staff'] }
    const { asked, claims } = await learn({}, said, ['email', 'groups'])
    expect(claims).toMatchObject({ ...said, sub: 'a1', iss: ISSUER })
    expect(asked).toContain('/userinfo')
  })

  it('say of no address what was said of another', async () => {
    const unverified = await learn({ email: 'ann@acme.test' }, { email: 'eve@evil.test', email_verified: true }, [
      'groups',
    ])
    expect(unverified.claims).toMatchObject({ email: 'ann@acme.test', email_verified: undefined })
    const other = await learn({ email_verified: true }, { email: 'ann@acme.test', email_verified: false })
    expect(other.claims).toMatchObject({ email: 'ann@acme.test', email_verified: false })
  })

  it("are nobody's where UserInfo is another person's", async () => {
    const { claims } = await learn({}, { sub: 'b2', email: 'bob@acme.test', email_verified: true })
    expect(claims).toContain("'id.test' cannot be asked now")
  })
})
