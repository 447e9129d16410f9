import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect } from 'vitest'
import { toPerson } from '../../src/core/access/person.ts'
import { toPersonPrincipal, type Session } from '../../src/core/access/session.ts'
import { type SignInRule, signInRules } from '../../src/core/access/sign-in-rules.ts'
import { parseValue } from '../../src/core/tool/json-reader.ts'
import { fail } from '../../src/core/failure/failure.ts'
import type { Json } from '../../src/core/tool/json.ts'
import { readForm } from '../../src/http/request/body.ts'
import { NO_MEMORY } from '../../src/http/request/request-memory.ts'
import { createSessions } from '../../src/http/caller/sessions.ts'
import { createFlows } from '../../src/sign-in/flow-cookie.ts'
import { createOpenId, type OpenIdRequest } from '../../src/sign-in/openid.ts'
import { returnPath } from '../../src/sign-in/flow-cookie.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { sha256 } from '../../src/storage/sealing/sha256.ts'
import { texts, values } from './mutations.ts'
import { expectWords, isRead, isUnderstood, row, type Row, written } from './row.ts'

const ORIGIN = 'https://switchboard.test'
const ISSUER = 'https://id.test'
const RULES = [
  { domain: 'acme.com', scopes: ['tools:read', 'tools:call'], tools: ['*'] },
  { address: 'ann@acme.com', toolkits: ['Gmail'], tools: ['SMS.Send'] },
  { group: 'platform', domain: 'acme.com', scopes: ['admin'] },
]
const CLAIMS = {
  iss: ISSUER,
  sub: 'a1',
  email: 'Ann@acme.com',
  email_verified: true,
  groups: ['platform', 'staff'],
  hd: 'acme.com',
  xms_edov: '1',
}
const EVERYBODY: readonly SignInRule[] = [{ domain: 'acme.com', scopes: ['tools:call'], tools: ['*'] }]

const keys = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
const as = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  id_token_signing_alg_values_supported: ['ES256'],
  authorization_response_iss_parameter_supported: true,
}
const REQUEST: OpenIdRequest = {
  state: 's'.repeat(43),
  nonce: 'n1',
  verifier: 'v'.repeat(43),
  callback: `${ORIGIN}/sign-in/callback`,
}

/** The provider's responses: the token response, its ID token, and the UserInfo response. */
interface Said {
  readonly tokens?: Json
  readonly idToken?: Json
  readonly userInfo?: Json
}

/** Whether a sign-in ends with a person's claims; if not, checks that the response is refused with an explanation. */
async function finishes(url: string, { tokens, idToken, userInfo = { sub: 'a1' } }: Said): Promise<boolean> {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { ...CLAIMS, aud: 'c1', iat: now, exp: now + 60, nonce: REQUEST.nonce, ...Object(idToken) }
  const openId = createOpenId({
    issuer: ISSUER,
    clientId: 'c1',
    clientSecret: 's1',
    needsTokens: async () => false,
    claims: ['email', 'roles'],
    findServer: async () => ({ as, discovered: true }),
    checkUrl: () => undefined,
    async fetch(input) {
      const { pathname } = new URL(String(input))
      if (pathname === '/keys') return Response.json({ keys: [jwk] })
      if (pathname === '/userinfo') return Response.json(userInfo)
      const signed = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      const given = { access_token: 't', token_type: 'Bearer', id_token: await signed.sign(keys.privateKey) }
      return Response.json(isChanged(tokens) ? { ...given, ...Object(tokens) } : given)
    },
  })
  const finished = await openId.finish(url, REQUEST)
  if (!finished.ok) {
    expectWords(finished.message)
    return false
  }
  const person = toPerson(finished.claims, { groups: 'groups' })
  if (typeof person === 'string') expectWords(person)
  return true
}

const isChanged = (value: Json | undefined) => value !== undefined
const CALLBACK = `${REQUEST.callback}?code=c1&state=${REQUEST.state}&iss=${encodeURIComponent(ISSUER)}`

const sealer = createKeyring(['of the tests'], 'sign-in')
const flows = createFlows(sealer, () => 0)
const bare = new Request(ORIGIN)
const [cookie = ''] = await flows.write(bare, { request: REQUEST, back: '/tools?q=1' })
const kept = cookie.split(';')[0] ?? ''

const COOKIE = 'a'.repeat(43)
const SESSION: Session = {
  id: 'session-1',
  authenticatedBy: {
    kind: 'person',
    issuer: ISSUER,
    person: { user: 'ann@acme.com', address: 'ann@acme.com', groups: [] },
  },
  owner: 'person:ann@acme.com',
  origin: ORIGIN,
  browser: 'a browser',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T12:00:00.000Z',
}
const hash = await sha256(COOKIE)
const nobody = async () => ({ result: fail({ type: 'unauthenticated', reason: 'None' }) })
const sessions = createSessions({
  store: {
    create: async () => undefined,
    find: async (asked) => (asked === hash ? SESSION : undefined),
    list: async () => [],
    remove: async () => false,
    removeAll: async () => 0,
  },
  authenticator: { authenticate: async () => fail({ type: 'unauthenticated', reason: 'None' }), loadPrincipal: nobody },
  issuer: ISSUER,
  rules: EVERYBODY,
  findMembership: async () => undefined,
  sha256,
  newId: () => 'session-2',
  now: () => Date.parse(SESSION.created_at),
})

/** Creates a request with this header, or returns undefined if no server would pass it on. */
function withCookie(cookie: string): Request | undefined {
  try {
    return new Request(ORIGIN, { headers: { cookie } })
  } catch {
    return undefined
  }
}

/** The inputs of sign-in: settings, responses of a provider, and cookies of a browser. */
export const signIn: readonly Row[] = [
  row('the rules of sign-in', values([RULES]), (body) => {
    const read = parseValue(signInRules, body)
    if (!isRead(read)) return false
    // The parsed rules must be valid as well
    expect(parseValue(signInRules, written(read.value))).toEqual(read)
    const principal = toPersonPrincipal({ user: 'ann', address: 'ann@acme.com', groups: ['platform'] }, read.value)
    if (principal) expect(principal.users).toEqual(['ann'])
    return true
  }),
  row("a person's claims", values([CLAIMS, { ...CLAIMS, iss: 'https://accounts.google.com' }]), (claims) => {
    const person = toPerson(Object(claims), { groups: 'groups' })
    if (typeof person === 'string') {
      expectWords(person)
      return false
    }
    expect(person.user).toMatch(/^[^\p{Cc}]{1,256}$/u)
    expect(person.user).toBe(person.address)
    for (const group of person.groups) expect(group.length).toBeLessThanOrEqual(256)
    return true
  }),
  row("a person's claims, of which another names the user", values([CLAIMS]), (claims) => {
    const person = toPerson(Object(claims), { user: 'sub', groups: 'hd' })
    if (typeof person === 'string') {
      expectWords(person)
      return false
    }
    expect(person.user).toMatch(/^[^\p{Cc}]{1,256}$/u)
    return true
  }),
  row("an ID token's claims", values([CLAIMS]), (idToken) => finishes(CALLBACK, { idToken })),
  row('a token response', values([{ token_type: 'bearer', expires_in: 60, scope: 'openid' }]), (tokens) =>
    finishes(CALLBACK, { tokens }),
  ),
  row("UserInfo's claims", values([{ ...CLAIMS, roles: ['a'] }]), (userInfo) => finishes(CALLBACK, { userInfo })),
  row("the parameters of a provider's redirect", texts([CALLBACK, `${CALLBACK}&error=access_denied`]), (url) =>
    URL.canParse(url) ? finishes(url, {}) : false,
  ),
  row('a browser on its way to a provider', texts([kept]), async (cookie) => {
    const request = withCookie(cookie)
    const flow = request && (await flows.read(request))
    if (flow) expect(flow).toEqual({ request: REQUEST, back: '/tools?q=1' })
    return flow !== undefined
  }),
  row('a session', texts([`__Host-switchboard-session=${COOKIE}; other=1`]), async (cookie) => {
    const request = withCookie(cookie)
    const signed = request && (await sessions.findSession(request))
    if (!signed || !isUnderstood(signed, 'unauthenticated')) return false
    expect(signed).toMatchObject({ value: { session: SESSION, principal: { users: ['ann@acme.com'] } } })
    return true
  }),
  row('the form of a sign-in', texts([`key=sb_${'0'.repeat(32)}&return=%2Ftools%3Fq%3D1`]), async (body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = await readForm(new Request(ORIGIN, { method: 'POST', headers, body }), {
      limit: 8_192,
      memory: NO_MEMORY,
    })
    if (!isUnderstood(form, 'body-too-large') || !form.ok) return false
    const back = returnPath(form.value.get('return') ?? '', ORIGIN)
    if (back !== undefined) expect(new URL(back, ORIGIN).origin).toBe(ORIGIN)
    return back !== undefined
  }),
]
