import { createServer, type Server as HttpServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { close, listen } from '../e2e/oauth/provider.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

const CLIENT = 'switchboard'
const keys = await generateKeyPair('ES256', { extractable: true })
const strangers = await generateKeyPair('ES256', { extractable: true })

/** Turns the claims of a valid ID token into the token endpoint's ID token. */
type Forge = (claims: Record<string, unknown>) => Promise<string> | string
const sign = (claims: Record<string, unknown>, key: CryptoKey | Uint8Array = keys.privateKey, alg = 'ES256') =>
  new SignJWT(claims).setProtectedHeader({ alg, kid: 'k1' }).sign(key)

let http: HttpServer
let issuer: string
let edge: RunningServer
let forge: Forge
/** Redeemed codes; each works once. */
let redeemed: string[]
let nonce: string | undefined

beforeAll(async () => {
  http = createServer((request, response) => {
    void answer(request.url ?? '/', request).then((body) => {
      response.writeHead(body ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? { error: 'invalid_grant' }))
    })
  })
  async function answer(path: string, body: AsyncIterable<unknown>): Promise<object | undefined> {
    if (path.includes('openid-configuration')) {
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      }
    }
    if (path === '/keys') return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }] }
    let text = ''
    for await (const chunk of body) text += String(chunk)
    const form = new URLSearchParams(text)
    const code = form.get('code') ?? ''
    if (redeemed.includes(code)) return undefined
    redeemed.push(code)
    const now = Math.floor(Date.now() / 1_000)
    const good = { iss: issuer, aud: CLIENT, sub: 'a1', iat: now, exp: now + 300, nonce }
    const id_token = await forge({ ...good, email: 'ann@acme.test', email_verified: true })
    return { access_token: 'a', token_type: 'Bearer', id_token }
  }
  issuer = `http://localhost:${await listen(http, 0)}`
  edge = await startWatched({
    vars: {
      ACCESS: 'keys',
      ALLOW_HTTP_HOSTS: new URL(issuer).host,
      SIGN_IN_ISSUER: issuer,
      SIGN_IN_CLIENT_ID: CLIENT,
      SIGN_IN_CLIENT_SECRET: 'a secret of the client',
      SIGN_IN_RULES: '[{"domain": "acme.test"}]',
    },
  })
})
afterAll(() => Promise.all([edge?.stop(), http && close(http)]))
afterAll(neverSilent)
beforeEach(() => {
  forge = (claims) => sign(claims)
  redeemed = []
})

/** Starts a sign-in. Returns the callback to which an honest provider would send this browser. */
async function begin(who: HttpPerson, path = '/sign-in') {
  const location = await who.location(`${edge.url}${path}`)
  const asked = new URL(location).searchParams
  nonce = asked.get('nonce') ?? undefined
  const code = crypto.randomUUID()
  const callback = new URL(asked.get('redirect_uri') ?? '')
  callback.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer }))
  return callback
}

const isSignedIn = async (who: HttpPerson) => (await who.open(`${edge.url}/sessions`)).status === 200

async function comeBack(who: HttpPerson, url: URL) {
  const ended = await who.open(url.href)
  return { status: ended.status, text: ended.text, findSession: await isSignedIn(who) }
}

it('the test provider signs in the right person', async () => {
  const ann = new HttpPerson()
  expect(await comeBack(ann, await begin(ann))).toMatchObject({ status: 200, findSession: true })
})

const FORGED: Record<string, Forge> = {
  'for another client': (claims) => sign({ ...claims, aud: 'another' }),
  'for several clients, of another party': (claims) => sign({ ...claims, aud: [CLIENT, 'another'], azp: 'another' }),
  'of another issuer': (claims) => sign({ ...claims, iss: 'https://evil.test' }),
  'with another nonce': (claims) => sign({ ...claims, nonce: 'another' }),
  'without a nonce': (claims) => sign({ ...claims, nonce: undefined }),
  'that has expired': (claims) => sign({ ...claims, exp: Math.floor(Date.now() / 1_000) - 600 }),
  'without an end': (claims) => sign({ ...claims, exp: undefined }),
  'that is not signed': (claims) => new UnsecuredJWT(claims).encode(),
  "under a stranger's key": (claims) => sign(claims, strangers.privateKey),
  "under the client's secret": (claims) => sign(claims, new TextEncoder().encode('a secret of the client'), 'HS256'),
  'whose claims were changed': async (claims) => {
    const [header, , signature] = (await sign(claims)).split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, email: 'root@acme.test' })).toString('base64url')
    return `${header}.${changed}.${signature}`
  },
  'that is none': () => 'x',
  'that is missing': () => '',
  'with an address that nobody verified': (claims) => sign({ ...claims, email_verified: false }),
  'with an address that is verified in words': (claims) => sign({ ...claims, email_verified: 'true' }),
  'with a Cyrillic letter in the domain': (claims) => sign({ ...claims, email: 'ann@аcme.test' }),
  'with a sign that is a k in lower case': (claims) => sign({ ...claims, email: '\u212aate@acme.test' }),
  'of a domain that begins as ours does': (claims) => sign({ ...claims, email: 'ann@acme.test.evil.test' }),
  'of a domain that ends as ours does': (claims) => sign({ ...claims, email: 'ann@evil-acme.test' }),
  'of a subdomain': (claims) => sign({ ...claims, email: 'ann@evil.acme.test' }),
  'with two addresses in one': (claims) => sign({ ...claims, email: 'ann@evil.test@acme.test' }),
}

it.each(Object.keys(FORGED))('an ID token %s signs nobody in', async (which) => {
  forge = FORGED[which]!
  const who = new HttpPerson()
  const ended = await comeBack(who, await begin(who))
  expect(ended.findSession).toBe(false)
  expect([400, 403, 502]).toContain(ended.status)
  expect(ended.text).not.toContain('a secret of the client')
})

it('a sign-in response works only in the browser that started it, so nobody is signed in as someone else', async () => {
  const [mallory, ann] = [new HttpPerson(), new HttpPerson()]
  const mallorys = await begin(mallory)
  // Mallory makes Ann open it, so that Ann would act as Mallory; with and without a pending sign-in of Ann's
  expect(await comeBack(ann, mallorys)).toMatchObject({ status: 400, findSession: false })
  await begin(ann)
  expect(await comeBack(ann, mallorys)).toMatchObject({ status: 400, findSession: false })
  expect(redeemed).toEqual([])
})

it('a sign-in response works once', async () => {
  const ann = new HttpPerson()
  const callback = await begin(ann)
  const thief = ann.copy()
  expect(await comeBack(ann, callback)).toMatchObject({ findSession: true })
  expect(await comeBack(new HttpPerson(), callback)).toMatchObject({ status: 400, findSession: false })
  // Even with that browser's cookies, because the code is used up
  expect(await comeBack(thief, callback)).toMatchObject({ status: 403, findSession: false })
})

it('a sign-in response works once, even if the browser sends it 20 times at once', async () => {
  const ann = new HttpPerson()
  const callback = await begin(ann)
  const ended = await Promise.all(Array.from({ length: 20 }, () => comeBack(ann.copy(), callback)))
  expect(ended.filter(({ findSession }) => findSession)).toHaveLength(1)
})

it('a sign-in response no longer works after signing out, in that browser or with its earlier cookies', async () => {
  const ann = new HttpPerson()
  const callback = await begin(ann)
  const before = ann.copy()
  expect(await comeBack(ann, callback)).toMatchObject({ findSession: true })
  const during = ann.copy()
  await ann.post(`${edge.url}/sign-out`, {}, { origin: edge.url })
  expect(await comeBack(ann, callback)).toMatchObject({ status: 400, findSession: false })
  expect(await comeBack(during, callback)).toMatchObject({ status: 400, findSession: false })
  expect(await comeBack(before, callback)).toMatchObject({ status: 403, findSession: false })
})

it('a sign-in response no longer works after the browser started again', async () => {
  const ann = new HttpPerson()
  const first = await begin(ann)
  const second = await begin(ann)
  expect(await comeBack(ann, first)).toMatchObject({ status: 400, findSession: false })
  expect(redeemed).toEqual([])
  expect(await comeBack(ann, second)).toMatchObject({ findSession: true })
})

it('the code of a sign-in response signs nobody in through another flow, used or not', async () => {
  const [ann, mallory] = [new HttpPerson(), new HttpPerson()]
  const used = await begin(ann)
  expect(await comeBack(ann, used)).toMatchObject({ findSession: true })
  const own = await begin(mallory)
  own.searchParams.set('code', used.searchParams.get('code') ?? '')
  expect(await comeBack(mallory, own)).toMatchObject({ status: 403, findSession: false })
  const unused = await begin(ann, '/sign-in?again=1')
  const nonceOfAnn = nonce
  const next = await begin(mallory)
  next.searchParams.set('code', unused.searchParams.get('code') ?? '')
  // A code's ID token is only valid in the flow that the code was issued for
  nonce = nonceOfAnn
  expect(await comeBack(mallory, next)).toMatchObject({ status: 502, findSession: false })
})

it.each([
  ['of another provider', (url: URL) => url.searchParams.set('iss', 'https://evil.test')],
  ['that does not say whose it is', (url: URL) => url.searchParams.delete('iss')],
  ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
  ['without a state', (url: URL) => url.searchParams.delete('state')],
  ['with two states', (url: URL) => url.searchParams.append('state', 'x')],
  ['with two codes', (url: URL) => url.searchParams.append('code', 'x')],
  ['without a code', (url: URL) => url.searchParams.delete('code')],
  ['that brings the token itself', (url: URL) => url.searchParams.set('id_token', 'x')],
])('a sign-in response %s signs nobody in', async (_, change) => {
  const ann = new HttpPerson()
  const callback = await begin(ann)
  change(callback)
  const ended = await comeBack(ann, callback)
  expect([400, 403]).toContain(ended.status)
  expect(ended.findSession).toBe(false)
})

it('a sign-in response works only at the URL where the flow started', async () => {
  const begun = await fetch(`${edge.url}/sign-in`, { redirect: 'manual' })
  const asked = new URL(begun.headers.get('location') ?? '').searchParams
  nonce = asked.get('nonce') ?? undefined
  const answer = { code: crypto.randomUUID(), state: asked.get('state') ?? '', iss: issuer }
  const cookies = begun.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const elsewhere = `${edge.url}/sign-in/callback?${new URLSearchParams(answer)}`.replace('127.0.0.1', 'localhost')
  const ended = await fetch(elsewhere, { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
  expect([ended.status, redeemed]).toEqual([400, []])
})

it('a sign-in response with a forged cookie is refused', async () => {
  const ann = new HttpPerson()
  const callback = await begin(ann)
  for (const value of ['x', 'a.b', `${'A'.repeat(11)}.${'A'.repeat(400)}`]) {
    const tossed = await fetch(callback, { redirect: 'manual', headers: { cookie: `switchboard-sign-in=${value}` } })
    expect(tossed.status).toBe(400)
  }
})

it.each([
  'https://evil.test/',
  '//evil.test',
  '/\\evil.test',
  '/%09/evil.test',
  'javascript:alert(1)',
  '/..//evil.test',
])('the page to return to is never %s', async (path) => {
  const answer = await fetch(`${edge.url}/sign-in?return=${path}`, { redirect: 'manual' })
  if (answer.status === 302) {
    expect(new URL(answer.headers.get('location') ?? '').origin).toBe(issuer)
    const who = new HttpPerson()
    const url = await begin(who, `/sign-in?return=${path}`)
    expect(new URL((await who.open(url.href)).url).origin).toBe(edge.url)
  } else expect(answer.status).toBe(400)
})

it.each(['/sign-out', '/sign-in/key'])('a form from another site does nothing at %s', async (path) => {
  const ann = new HttpPerson()
  await comeBack(ann, await begin(ann))
  for (const headers of [
    { 'origin': 'https://evil.test' },
    { 'origin': 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', 'origin': edge.url },
  ]) {
    const answer = await ann.post(`${edge.url}${path}`, { key: 'x' }, headers)
    expect([403, 404]).toContain(answer.status)
  }
  expect(await isSignedIn(ann)).toBe(true)
})
