import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { type Connected, connect, startWorld, type World } from '../e2e/oauth/switchboard.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { neverSilent, watched } from './watch.ts'

const SECRET = 'a secret of at least 32 bytes, no less'
const [ONE, OTHER] = ['https://one.example.com', 'https://other.example.com']

let world: World
let jwks: Upstream
let pair: CryptoKeyPair
beforeAll(async () => {
  world = await startWorld()
  pair = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
  jwks = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
})
afterAll(() => Promise.all([world?.close(), jwks?.close()]))

type Claims = Readonly<Record<string, unknown>>
const CLAIMS = { scope: 'tools:read tools:call', tools: ['Mail.*'] }
const bySecret = (claims: Claims) =>
  new SignJWT({ ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET))
const byKey = (claims: Claims) =>
  new SignJWT({ ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setExpirationTime('1h')
    .sign(pair.privateKey)

/** Ways to let two parties identify people, and each party's claims about its own `ann`. */
const WAYS = [
  {
    name: 'two issuers that share a secret',
    vars: () => ({ JWT_SECRET: SECRET, JWT_ISSUER: `${ONE} ${OTHER}` }),
    ann: () => bySecret({ sub: 'ann', iss: ONE }),
    her: `${ONE}|ann`,
    mallory: [
      ['as an ann of her own', () => bySecret({ sub: 'ann', iss: OTHER })],
      ['as one who is called as ann is here', () => bySecret({ sub: `${ONE}|ann`, iss: OTHER })],
    ],
    refused: [
      ['without an issuer', () => bySecret({ sub: `${ONE}|ann` })],
      ['of an issuer of nobody', () => bySecret({ sub: 'ann', iss: 'https://evil.example.com' })],
      ['of several issuers', () => bySecret({ sub: 'ann', iss: [OTHER, ONE] })],
      ['of an issuer that is written otherwise', () => bySecret({ sub: 'ann', iss: `${ONE}/` })],
    ],
  },
  {
    name: 'a secret and public keys, without an issuer',
    vars: () => ({ JWT_SECRET: SECRET, JWT_JWKS_URL: `${jwks.origin}/jwks` }),
    ann: () => byKey({ sub: 'ann' }),
    her: 'jwks|ann',
    mallory: [
      ['as an ann of her own', () => bySecret({ sub: 'ann' })],
      ['as one who is called as ann is here', () => bySecret({ sub: 'jwks|ann' })],
    ],
    refused: [],
  },
] as const

describe.each(WAYS)('a user of $name', ({ name, vars, ann, her, mallory, refused }) => {
  let edge: Connected
  let link: string
  const bearer = async (token: Promise<string>) => ({ authorization: `Bearer ${await token}` })
  const getEmails = (as: Readonly<Record<string, string>>, context: object = {}) =>
    edge.ask('POST', '/tools/call', { tool_id: 'Mail.GetEmails', input: {}, context }, as)

  beforeAll(async () => {
    edge = await connect(world, { vars: vars() })
    watched(edge.server)
    const { body } = await getEmails(await bearer(ann()))
    link = body.missing_requirements.authorization[0].url
    await new HttpPerson().consent(link, 'ann')
    expect((await getEmails(await bearer(ann()))).body.result).toMatchObject({
      success: true,
      value: { account: 'ann' },
    })
  })
  afterAll(() => edge?.server.stop())
  afterAll(neverSilent)

  it.each(mallory)(`a user of ${name} cannot read data of the other issuer's user, %s`, async (_, token) => {
    const as = await bearer(token())
    const check = new URL(link).pathname.replace(/\/start$/, '')
    const own = await getEmails(as)
    expect([own.status, own.body.missing_requirements.authorization[0].id]).toEqual([400, 'mail'])
    expect(JSON.stringify(own.body)).not.toContain('"account"')
    for (const user of [her, 'ann']) {
      expect((await getEmails(as, { user_id: user })).status, user).toBe(403)
      const path = `/users/${encodeURIComponent(user)}/grants`
      expect((await edge.ask('GET', path, undefined, as)).status, user).toBe(403)
      expect((await edge.ask('DELETE', `${path}/mail`, undefined, as)).status, user).toBe(403)
      const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Mail_GetEmails', arguments: {} } }
      const overMcp = await edge.ask('POST', '/mcp', rpc, { ...as, 'x-user-id': user })
      expect(JSON.stringify(overMcp.body), user).not.toContain('"account"')
      const engine = { tool: { name: 'GetEmails', toolkit: 'Mail' }, inputs: {}, context: { user_id: user } }
      const invoked = await edge.ask('POST', '/worker/tools/invoke', engine, as)
      expect(JSON.stringify(invoked.body), user).not.toContain('"account"')
    }
    expect((await edge.ask('GET', check, undefined, as)).status).toBe(404)
    expect((await getEmails(await bearer(ann()))).body.result.success).toBe(true)
  })

  it.each(refused)(`a user of ${name} is refused with a token %s`, async (_, token) => {
    expect((await getEmails(await bearer(token()))).status).toBe(401)
  })
})
