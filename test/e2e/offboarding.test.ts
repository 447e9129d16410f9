import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connected, refresh, rpc } from './oauth/agent.ts'
import { connectPerson, IN, OUT, signInPerson } from './oauth/connected-person.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { patch } from './scim/set-up.ts'
import { type RunningServer, startApp } from './server.ts'
import { startUpstream, type Upstream } from '../upstream.ts'

/** A company's directory says by SCIM who has left, and which groups people are in. */

const RULES = [
  { domain: 'acme.test', toolkits: ['Mail', 'Calculator'] },
  { group: 'Publishers', scopes: ['tools:publish'], toolkits: ['Calculator'] },
  { group: 'Contractors', toolkits: ['Calculator'] },
]

let world: World
let edge: Connected
let url: string
let scimKey: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await startWorld()
  for (const name of ['ann', 'bob', 'cy', 'dee', 'eve', 'fay', 'gil'])
    world.provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  world.provider.claims['zoe'] = { email: 'zoe@elsewhere.test', email_verified: true }
  edge = await connect(world, { vars: signInVars(world.provider, RULES) })
  ;({ url } = edge.server)
  world.provider.allowRedirectTo(`${url}/sign-in/callback`)
  const key = await edge.ask('POST', '/keys', { name: 'the directory', scopes: ['scim'] })
  scimKey = { authorization: `Bearer ${key.body.key}` }
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))

const scim = (method: string, path: string, body?: unknown) => edge.ask(method, `/scim/v2${path}`, body, scimKey)
const setActive = (id: string, active: unknown) =>
  scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value: active }))

it("one SCIM request ends a person's access at their next request of each kind, and no one else's", async () => {
  const [ann, bob] = [await connectPerson(edge, 'ann'), await connectPerson(edge, 'bob')]
  // The directory has other letters than the ID token
  const { body } = await scim('POST', '/Users', { userName: 'Ann@Acme.test', externalId: '00u1' })
  const bobs = await scim('POST', '/Users', { userName: 'bob@acme.test', externalId: '00u2' })
  expect([await ann.state(), await bob.state()]).toEqual([IN, IN])
  const approval = await edge.challenge('mailbox.empty', ann.user, { folder: 'old' })
  expect((await edge.ask('GET', approval.check_url)).body).toMatchObject({ status: 'not_started' })

  expect((await setActive(body.id, 'False')).status).toBe(200)
  expect(await ann.state()).toEqual(OUT)
  expect((await refresh(ann.agent, ann.tokens.refresh_token)).status).toBe(400)
  expect((await edge.ask('GET', approval.check_url)).body).toMatchObject({ status: 'failed' })
  expect(await bob.state()).toEqual(IN)
  expect((await refresh(bob.agent, bob.tokens.refresh_token)).status).toBe(200)

  const again = await signIn(new HttpPerson(), url, 'ann')
  expect(again.status).toBe(403)
  expect(again.text).toContain('directory has deactivated')
  expect(again.text).toContain('IT department')
  // A caller that may act for her finds no account, and the link leads her to that page
  expect((await edge.call('Mail.GetEmails', ann.user)).status).toBe(400)

  expect((await setActive(body.id, 'True')).status).toBe(200)
  expect(await ann.state()).toEqual(OUT)
  const back = await signInPerson(url, 'ann')
  expect((await back.open(`${url}/sessions`)).status).toBe(200)
  expect((await rpc(url, (await connected(back, url, ['Calculator'])).tokens.access_token, 'tools/list')).status).toBe(
    200,
  )
  expect((await scim('DELETE', `/Users/${bobs.body.id}`)).status).toBe(204)
  expect(await bob.state()).toEqual(OUT)
  await expect
    .poll(async () => (await edge.ask('GET', '/audit?act=scim.remove&limit=1')).body.items[0]?.about)
    .toMatchObject({
      name: 'bob@acme.test',
      ended: expect.arrayContaining([expect.objectContaining({ user_id: 'bob@acme.test', agents: 1, accounts: 1 })]),
    })
})

it('a person who is not active cannot sign in, even if the directory added them before their first sign-in', async () => {
  await scim('POST', '/Users', { userName: 'cy@acme.test', active: false })
  expect((await signIn(new HttpPerson(), url, 'cy')).status).toBe(403)
})

it('a user who is renamed and deactivated in one request loses access under both names', async () => {
  const dee = await connectPerson(edge, 'dee')
  const { body } = await scim('POST', '/Users', { userName: 'dee@acme.test' })
  const change = patch(
    { op: 'Replace', path: 'userName', value: '0a21f0f2dee@acme.test' },
    { op: 'Replace', path: 'active', value: 'False' },
  )
  expect((await scim('PATCH', `/Users/${body.id}`, change)).status).toBe(200)
  expect(await dee.state()).toEqual(OUT)
})

it('directory groups apply to the rules at the next request, while the user is a member', async () => {
  const eve = await signInPerson(url, 'eve')
  const { body: user } = await scim('POST', '/Users', { userName: 'eve@acme.test' })
  const published = async () => (await eve.open(`${url}/console/toolsets`)).status
  const zoe = () => signIn(new HttpPerson(), url, 'zoe')
  expect((await zoe()).status).toBe(403)
  const { body: outsider } = await scim('POST', '/Users', { userName: 'zoe@elsewhere.test' })
  const { body: group } = await scim('POST', '/Groups', {
    displayName: 'Contractors',
    members: [{ value: outsider.id }],
  })
  const person = new HttpPerson()
  expect((await signIn(person, url, 'zoe')).status).toBe(200)
  const { tokens } = await connected(person, url, ['Calculator'])
  const state = async () => [
    (await person.open(`${url}/sessions`)).status,
    (await rpc(url, tokens.access_token, 'tools/list')).status,
  ]
  expect(await state()).toEqual([200, 200])
  const members = `members[value eq "${outsider.id}"]`
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'Remove', path: members }))
  expect(await state()).toEqual([401, 401])
  expect((await zoe()).text).toContain('SIGN_IN_RULES grants')
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'Add', path: 'members', value: [{ value: outsider.id }] }))
  expect(await state()).toEqual([200, 200])
  await scim('PUT', `/Groups/${group.id}`, { displayName: 'Guests', members: [{ value: outsider.id }] })
  expect(await state()).toEqual([401, 401])
  await scim('PUT', `/Groups/${group.id}`, { displayName: 'Contractors', members: [{ value: outsider.id }] })
  expect(await state()).toEqual([200, 200])
  await scim('DELETE', `/Groups/${group.id}`)
  expect(await state()).toEqual([401, 401])
  expect(await published()).toBe(403)
  await scim('POST', '/Groups', { displayName: 'Publishers', members: [{ value: user.id }] })
  expect(await published()).toBe(200)
})

it('a person whose user id is not their address is found by the address, with everything under the user id', async () => {
  const vars = { ...signInVars(world.provider, RULES), SIGN_IN_USER: 'sub' }
  const other = await connect(world, { vars })
  const { url: origin } = other.server
  world.provider.allowRedirectTo(`${origin}/sign-in/callback`)
  const gil = new HttpPerson()
  expect((await signIn(gil, origin, 'gil')).status).toBe(200)
  const { items } = JSON.parse((await gil.open(`${origin}/sessions`)).text)
  const [{ user_id: user }] = items
  expect(user).not.toContain('@')
  await connected(gil, origin, ['Calculator'])
  const consented = await gil.consent((await other.challenge('Mail.GetEmails', user)).url, 'gil')
  expect(consented.url, consented.text).toContain('/oauth/callback')
  const access = async () => (await other.ask('GET', `/users/${encodeURIComponent(user)}/access`)).body
  expect(await access()).toMatchObject({ accounts: [{ provider: 'mail' }], agents: [{}] })
  const added = await other.ask('POST', '/scim/v2/Users', { userName: 'GIL@acme.test', externalId: 'of the directory' })
  const off = patch({ op: 'replace', value: { active: false } })
  expect((await other.ask('PATCH', `/scim/v2/Users/${added.body.id}`, off)).status).toBe(200)
  expect(await access()).toMatchObject({ accounts: [], agents: [] })
  expect((await gil.open(`${origin}/sessions`)).status).toBe(401)
  expect((await signIn(new HttpPerson(), origin, 'gil')).status).toBe(403)
  await other.server.stop()
})

it("a person's session cannot use SCIM, nor can a key without the scope", async () => {
  const fay = await signInPerson(url, 'fay')
  expect((await fay.open(`${url}/scim/v2/Users`)).status).toBe(401)
  const asCaller = { authorization: `Bearer ${await edge.keyFor('any', ['tools:call', 'records:read'])}` }
  const { body } = await scim('POST', '/Users', { userName: 'fay@acme.test' })
  const off = patch({ op: 'replace', value: { active: false } })
  expect((await edge.ask('PATCH', `/scim/v2/Users/${body.id}`, off, asCaller)).status).toBe(403)
  expect((await edge.ask('PATCH', `/scim/v2/Users/${body.id}`, off, {})).status).toBe(401)
  expect((await edge.ask('DELETE', `/scim/v2/Users/${body.id}`, undefined, asCaller)).status).toBe(403)
  expect((await fay.open(`${url}/sessions`)).status).toBe(200)
})

describe("tokens of the company's provider", () => {
  const AS_ADMIN = { authorization: 'Bearer an-administrators-key-1' }
  const OTHER = 'https://other.test'
  let issuer: Upstream
  let server: RunningServer
  let signingKey: CryptoKey

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true })
    signingKey = pair.privateKey
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
    issuer = await startUpstream(({ url = '' }, response) => {
      const { origin } = issuer
      const metadata = { issuer: origin, jwks_uri: `${origin}/jwks`, token_endpoint: `${origin}/token` }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(url.includes('.well-known') ? metadata : { keys }))
    })
    server = await startApp({
      vars: {
        ACCESS: 'keys',
        ADMIN_KEY: 'an-administrators-key-1',
        ALLOW_HTTP_HOSTS: issuer.host,
        CONNECT_ISSUER: issuer.origin,
        SIGN_IN_ISSUER: issuer.origin,
        SIGN_IN_CLIENT_ID: 'switchboard',
        SIGN_IN_CLIENT_SECRET: 'a secret of the client',
        JWT_JWKS_URL: `${issuer.origin}/jwks`,
        JWT_ISSUER: `${issuer.origin} ${OTHER}`,
        JWT_AUDIENCE: 'switchboard',
        SIGN_IN_RULES: JSON.stringify(RULES),
      },
    })
  })
  afterAll(() => Promise.all([server?.stop(), issuer?.close()]))

  const directory = (method: string, path: string, body?: unknown) =>
    server.json(method, `/scim/v2${path}`, body, AS_ADMIN)
  const off = patch({ op: 'replace', value: { active: false } })

  /** How agents of a person and their program get on, each with a token of its own. */
  async function caller(claims: Readonly<Record<string, unknown>>) {
    const sign = (aud: string) =>
      new SignJWT({ iss: issuer.origin, aud, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setExpirationTime('5m')
        .sign(signingKey)
    const [agent, program] = [await sign(`${server.url}/connect/mcp`), await sign('switchboard')]
    return async () => [
      (await rpc(server.url, agent, 'tools/list')).status,
      (await rpc(server.url, program, 'tools/list', {}, '/mcp')).status,
    ]
  }
  const employee = (name: string) => ({ sub: name, email: `${name}@acme.test`, email_verified: true })

  it("tokens of the company's provider are refused at the next request after the directory deactivated the person", async () => {
    const [ann, bob] = [await caller(employee('ann')), await caller(employee('bob'))]
    const added = await directory('POST', '/Users', { userName: 'Ann@Acme.test' })
    expect([await ann(), await bob()]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect((await directory('PATCH', `/Users/${added.body.id}`, off)).status).toBe(200)
    expect([await ann(), await bob()]).toEqual([
      [403, 403],
      [200, 200],
    ])
    // Nor with another token, whose tools the provider itself names
    expect(await (await caller({ ...employee('ann'), tools: ['*'] }))()).toEqual([403, 403])
    const on = patch({ op: 'replace', value: { active: true } })
    expect((await directory('PATCH', `/Users/${added.body.id}`, on)).status).toBe(200)
    expect(await ann()).toEqual([200, 200])
  })

  it("tokens of the company's provider have the rights of the directory's groups", async () => {
    const zoe = await caller({ sub: 'zoe', email: 'zoe@elsewhere.test', email_verified: true })
    expect(await zoe()).toEqual([403, 403])
    const user = await directory('POST', '/Users', { userName: 'zoe@elsewhere.test' })
    const members = [{ value: user.body.id }]
    const group = await directory('POST', '/Groups', { displayName: 'Contractors', members })
    expect(await zoe()).toEqual([200, 200])
    expect((await directory('DELETE', `/Groups/${group.body.id}`)).status).toBe(204)
    expect(await zoe()).toEqual([403, 403])
  })

  it("only tokens of the company's provider get groups by user id, but tokens of any issuer lose access by it", async () => {
    const user = await directory('POST', '/Users', { userName: 'cy@elsewhere.test', externalId: '00u7' })
    await directory('POST', '/Groups', { displayName: 'Contractors', members: [{ value: user.body.id }] })
    const program = async (claims: object) => (await (await caller({ iss: OTHER, ...claims }))())[1]
    expect(await program({ sub: '00u7' })).toBe(403)
    expect(await program({ sub: 'cy@elsewhere.test' })).toBe(403)
    expect(await (await caller({ sub: '00u7' }))()).toEqual([200, 200])
    const named = { sub: '00u7', tools: ['Calculator.*'] }
    expect(await program(named)).toBe(200)
    expect((await directory('PATCH', `/Users/${user.body.id}`, off)).status).toBe(200)
    expect(await program(named)).toBe(403)
  })
})
