import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it } from 'vitest'
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

interface World {
  readonly claims?: readonly string[]
  /** What the provider says of itself beside the above, and what it answers with beside an ID token. */
  readonly server?: object
  readonly discovered?: boolean
  readonly issuer?: string
  readonly checkUrl?: () => string | undefined
  readonly idToken?: object | null
  readonly userInfo?: object
}

function openIdOf({ claims = ['email'], server = {}, checkUrl = () => undefined, idToken = {}, ...world }: World) {
  const asked: string[] = []
  const { issuer = ISSUER, discovered = true, userInfo } = world
  const at = { nonce: '' }
  const openId = createOpenId({
    issuer,
    clientId: 'c1',
    clientSecret: 's1',
    needsTokens: async () => false,
    claims,
    findServer: async () => ({ as: { ...as, ...server }, discovered }),
    checkUrl,
    async fetch(input) {
      const { pathname } = new URL(String(input))
      asked.push(pathname)
      if (pathname === '/keys') return Response.json({ keys: [jwk] })
      if (pathname === '/userinfo') return Response.json({ sub: 'a1', ...userInfo })
      const now = Math.floor(Date.now() / 1_000)
      const given = { iss: ISSUER, aud: 'c1', sub: 'a1', iat: now, exp: now + 60, nonce: at.nonce, ...idToken }
      const id_token = await new SignJWT(given).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(keys.privateKey)
      return Response.json({ access_token: 't', token_type: 'Bearer', ...(idToken && { id_token }) })
    },
  })
  return { openId, asked, at }
}

/** What sign-in learns of a person, whose ID token and UserInfo say this, and which addresses it asked. */
async function learn(idToken: object | null, userInfo: object, claims?: readonly string[], world: World = {}) {
  const { openId, asked, at } = openIdOf({ idToken, userInfo, ...(claims && { claims }), ...world })
  const begun = await openId.begin(CALLBACK, false)
  if (!begun.ok) throw new Error(begun.message)
  at.nonce = begun.request.nonce
  const finished = await openId.finish(`${CALLBACK}?code=x&state=${begun.request.state}`, begun.request)
  return { asked, claims: finished.ok ? finished.claims : finished.message }
}

it.each<[string, boolean, World, Record<string, string | null>]>([
  ['asks who it is', false, {}, { scope: 'openid email profile', prompt: null }],
  [
    'asks for groups where the provider knows them',
    false,
    { server: { scopes_supported: ['groups'] } },
    { scope: 'openid email profile groups' },
  ],
  ['asks for no others', false, { server: { scopes_supported: ['phone'] } }, { scope: 'openid email profile' }],
  ['asks anew', true, {}, { prompt: 'login' }],
  ['asks Google in its way', true, { issuer: 'https://accounts.google.com' }, { prompt: 'select_account' }],
])('the authorization request to the provider %s', async (_, again, world, parameters) => {
  const begun = await openIdOf(world).openId.begin(CALLBACK, again)
  if (!begun.ok) throw new Error(begun.message)
  const { searchParams } = new URL(begun.url)
  for (const [name, value] of Object.entries({
    ...parameters,
    state: begun.request.state,
    nonce: begun.request.nonce,
  })) {
    expect([name, searchParams.get(name)]).toEqual([name, value])
  }
  expect(new Set(Object.values(begun.request)).size).toBe(4)
})

it('the authorization request to the provider is not made for a page that must not be opened', async () => {
  const { openId } = openIdOf({ checkUrl: () => 'it is no https' })
  expect(await openId.begin(CALLBACK, false)).toMatchObject({
    ok: false,
    message: expect.stringContaining('it is no https'),
  })
})

it('the claims of a person are those of the ID token if it has all that is needed', async () => {
  const { asked, claims } = await learn({ email: 'ann@acme.test', email_verified: true }, { email: 'other@acme.test' })
  expect(claims).toMatchObject({ email: 'ann@acme.test', email_verified: true })
  expect(asked).toEqual(['/token', '/keys'])
})

it('the claims of a person are completed from the UserInfo endpoint', async () => {
  const said = { email: 'ann@acme.test', email_verified: true, groups: ['staff'] }
  const { asked, claims } = await learn({ ...said, groups: undefined }, said, ['email', 'groups'])
  expect(claims).toMatchObject({ ...said, sub: 'a1', iss: ISSUER })
  expect(asked).toContain('/userinfo')
})

it('the claims of a person do not combine an address with the verification of another one', async () => {
  const unverified = await learn({ email: 'ann@acme.test' }, { email: 'eve@evil.test', email_verified: true }, [
    'groups',
  ])
  expect(unverified.claims).toMatchObject({ email: 'ann@acme.test', email_verified: undefined })
  const other = await learn({ email_verified: true }, { email: 'ann@acme.test', email_verified: false })
  expect(other.claims).toMatchObject({ email: 'ann@acme.test', email_verified: false })
})

it('the claims of a person are those of the ID token if there is no UserInfo endpoint', async () => {
  const { asked, claims } = await learn({}, {}, ['email'], { server: { userinfo_endpoint: undefined } })
  expect([asked, claims]).toEqual([['/token', '/keys'], expect.objectContaining({ sub: 'a1' })])
})

it('the claims of a person are missing if the server was not discovered, or gives no ID token', async () => {
  const unknown = await learn({ email: 'ann@acme.test' }, {}, undefined, { discovered: false })
  expect([unknown.asked, unknown.claims]).toEqual([[], expect.stringContaining("'id.test' cannot be asked now")])
  expect((await learn(null, { email: 'ann@acme.test' })).asked).toEqual(['/token'])
})

it('the claims of a person are missing if UserInfo is about another person', async () => {
  const { claims } = await learn({}, { sub: 'b2', email: 'bob@acme.test', email_verified: true })
  expect(claims).toContain("'id.test' cannot be asked now")
})
