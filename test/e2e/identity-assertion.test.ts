import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { suite } from '../conformance/run.ts'
import { connected, rpc } from './oauth/agent.ts'
import { HttpPerson } from './oauth/http-person.ts'
import {
  type AssertionWorld,
  createAssertionWorld,
  ID_JAG,
  idOf,
  JWT_BEARER,
  TOKEN_EXCHANGE,
} from './oauth/identity-assertion.ts'
import { leaked } from './oauth/leaks.ts'
import { CLIENT_ID, startProvider, type TestProvider } from './oauth/provider.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

const RULES = [{ domain: 'acme.test', toolkits: ['Mail', 'Other'] }]
const REASON = "'Mail.GetEmails' needs access to 'mail', which the user has not granted yet"
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

let company: TestProvider
let world: World
let assertions: AssertionWorld
let edge: Connected
let people = 0
/** What the company issues at sign-ins from now on. */
const signIns = { areOffline: false, idTokenLife: 3_600 }

beforeAll(async () => {
  assertions = await createAssertionWorld()
  company = await startProvider({
    grants: { [TOKEN_EXCHANGE]: assertions.grants.company },
    configuration: { issueRefreshToken: () => signIns.areOffline, ttl: { IdToken: () => signIns.idTokenLife } },
  })
  world = await startWorld({ grants: { [JWT_BEARER]: assertions.grants.upstream } })
  assertions.connect(company, world.provider)
  const vars = signInVars(company, RULES)
  edge = await connect(world, { vars: { ...vars, ALLOW_HTTP_HOSTS: hosts() } })
  company.allowRedirectTo(`${edge.server.url}/sign-in/callback`)
  await setUp()
})
afterAll(() => Promise.all([edge?.server.stop(), company?.close(), world?.close()]))
beforeEach(() => {
  Object.assign(assertions, { exchangeAnswer: {}, upstreamAnswer: {}, lifetime: 3_600 })
  Object.assign(signIns, { areOffline: false, idTokenLife: 3_600 })
})

const hosts = () => [company.host, world.provider.host, world.api.host].join()

/** Sets what the administrator decided about the provider of the mail tools. */
async function setUp(settings: object | null = {}) {
  const { status, body } = await edge.ask('PUT', '/providers/mail', {
    name: 'Test Mail',
    issuer: world.provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'MAIL_CLIENT_SECRET',
    ...(settings && {
      identity_assertion: {
        audience: world.provider.issuer,
        resource: world.api.origin,
        toolkits: ['Mail'],
        ...settings,
      },
    }),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Somebody new at the company, and their user here. */
function newPerson() {
  const name = `person${++people}`
  const email = `${name}@acme.test`
  company.claims[name] = { email, email_verified: true }
  return { name, email }
}

async function signedIn(name: string): Promise<HttpPerson> {
  const who = new HttpPerson()
  const page = await signIn(who, edge.server.url, name)
  expect(page.status, page.text).toBe(200)
  return who
}

async function newSignedIn() {
  const person = newPerson()
  return { ...person, who: await signedIn(person.name) }
}

const grantsOf = async (user: string) => (await edge.ask('GET', `/users/${encodeURIComponent(user)}/grants`)).body.items
const auditOf = async (user: string) =>
  (await edge.ask('GET', `/audit?act=grant.give&user_id=${encodeURIComponent(user)}`)).body.items
const read = (user: string, tool = 'Mail.GetEmails') => edge.call(tool, user)
const succeeded = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })
const asked = () => ({ exchanges: assertions.exchanges.length, redeemed: assertions.redeemed.length })

/** What an administrator reads of a call that ends in the ordinary link. */
async function reasonFor(user: string): Promise<string> {
  await edge.challenge('Mail.GetEmails', user)
  const body = { tool_id: 'Mail.GetEmails', input: {}, context: { user_id: user } }
  return JSON.stringify((await edge.ask('POST', '/tools/call', body, asAdmin)).body)
}

it('gives a person who signed in through the company access to a tool over /connect/mcp, without a link', async () => {
  const { name, email, who } = await newSignedIn()
  const { tokens } = await connected(who, edge.server.url, ['Mail'])
  const { body } = await rpc(edge.server.url, tokens.access_token, 'tools/call', {
    name: 'Mail_GetEmails',
    arguments: {},
  })
  expect(body.result, JSON.stringify(body)).toMatchObject({ structuredContent: { account: name } })
  const exchange = assertions.exchanges.at(-1)
  expect(exchange).toMatchObject({
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: world.provider.issuer,
    resource: world.api.origin,
    scope: 'mail.read',
  })
  expect(await grantsOf(email)).toMatchObject([
    { provider: 'mail', account: '', scopes: ['mail.read'], toolkits: [{ toolkit: 'Mail', hosts: [world.api.host] }] },
    { provider: 'sign-in', account: company.issuer, toolkits: [] },
  ])
  await expect
    .poll(() => auditOf(email), { timeout: 10_000 })
    .toMatchObject([
      { outcome: 'success', about: { provider: 'mail', tool: 'Mail.GetEmails@1.0.0', identity_assertion: true } },
    ])
  const secrets = [
    exchange?.['subject_token'] ?? '',
    assertions.redeemed.at(-1) ?? '',
    world.api.requests.at(-1)?.token ?? '',
  ]
  expect(leaked(edge.said.join('\n') + edge.server.printed(), secrets)).toEqual([])
})

it('gives the console and a key of the same person access, with one exchange', async () => {
  const { name, email, who } = await newSignedIn()
  const before = asked()
  const page = await who.open(`${edge.server.url}/console/tools/Mail.GetEmails`)
  const form = page.text.slice(page.text.indexOf('<form class="call"'))
  const called = await who.press({ ...page, text: form }, /Call tool/)
  expect(called.text).toContain(`Hello ${name}`)
  expect(await read(email)).toMatchObject(succeeded(name))
  expect(asked()).toEqual({ exchanges: before.exchanges + 1, redeemed: before.redeemed + 1 })
})

it('is reported by readiness without requests to the company', async () => {
  const { email } = await newSignedIn()
  const before = asked()
  const check = (user_id: string) => edge.ask('POST', '/readiness', { tools: ['Mail.GetEmails'], user_id })
  expect(JSON.stringify((await check(email)).body)).not.toContain('authorization')
  expect(JSON.stringify((await check('nobody@acme.test')).body)).toContain('authorization')
  expect(asked()).toEqual(before)
})

it('falls back to the ordinary link if the user never signed in, for another account, and without its settings', async () => {
  const { email } = await newSignedIn()
  const before = asked()
  await edge.challenge('Mail.GetEmails', newPerson().email)
  expect((await edge.call('Mail.GetEmails', email, { context: { account: 'work' } })).status).toBe(400)
  for (const settings of [null, { toolkits: ['Other'] }, { toolkits: ['mail'] }, { resource: 'http://127.0.0.1:1/' }]) {
    await setUp(settings)
    await edge.challenge('Mail.GetEmails', email)
  }
  await setUp()
  expect(asked()).toEqual(before)
  expect((await read(email)).status).toBe(200)
  // What was given counts no more where the administrator takes the toolkit back
  await setUp({ toolkits: ['Other'] })
  await edge.challenge('Mail.GetEmails', email)
  await setUp()
})

it('falls back to the ordinary link for a person who connects their own account', async () => {
  const { email } = await newSignedIn()
  const before = asked()
  const connecting = { provider: 'mail', toolkit: 'Mail' }
  const { status, body } = await edge.ask('POST', `/users/${encodeURIComponent(email)}/connections`, connecting)
  expect({ status, body }).toMatchObject({ status: 201, body: { id: 'mail', url: expect.stringContaining('/start') } })
  expect(asked()).toEqual(before)
})

it('stores nothing from a sign-in while no provider uses it', async () => {
  await setUp(null)
  const { email } = await newSignedIn()
  await setUp()
  expect(await grantsOf(email)).toEqual([])
  await edge.challenge('Mail.GetEmails', email)
})

it('falls back to the link if the company refuses, and tells administrators the reason', async () => {
  const { name, email } = await newSignedIn()
  assertions.blocked.add(name)
  expect(await reasonFor(email)).toContain("refused with 'access_denied'")
  const { body } = await read(email)
  expect(JSON.stringify(body)).not.toContain('access_denied')
  assertions.blocked.delete(name)
  expect(await read(email)).toMatchObject(succeeded(name))
})

it('falls back to the link for an audience that is unknown to the company, or is not the upstream', async () => {
  const { email } = await newSignedIn()
  await setUp({ audience: 'https://elsewhere.example' })
  expect(await reasonFor(email)).toContain("refused with 'invalid_target'")
  assertions.audiences.add('https://elsewhere.example')
  expect(await reasonFor(email)).toContain("'mail' refused with 'invalid_grant'")
  await setUp()
})

it('does not send a token of another type to the upstream', async () => {
  const { email } = await newSignedIn()
  const before = asked()
  assertions.exchangeAnswer = { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }
  expect((await read(email)).body.result).toMatchObject({ success: false })
  expect(asked()).toEqual({ exchanges: before.exchanges + 1, redeemed: before.redeemed })
})

it.each<[string, object]>([
  ['no bearer token', { token_type: 'mac' }],
  ['no token', { access_token: '' }],
  ['a number', { access_token: 7 }],
])('stores nothing from an upstream that returns %s', async (_, answer) => {
  const { email } = await newSignedIn()
  assertions.upstreamAnswer = answer
  expect((await read(email)).body.result).toMatchObject({ success: false })
  expect(await grantsOf(email)).toMatchObject([{ provider: 'sign-in' }])
})

it('falls back to the link if the upstream grants fewer scopes than the tool needs', async () => {
  const { email } = await newSignedIn()
  assertions.upstreamAnswer = { scope: 'mail.other' }
  expect(await reasonFor(email)).toContain('scopes are missing')
  expect(await grantsOf(email)).toMatchObject([{ provider: 'sign-in' }])
})

it('gets a new assertion after a 401, and never stores a refresh token of the upstream', async () => {
  const { name, email } = await newSignedIn()
  assertions.upstreamAnswer = { refresh_token: 'a-refresh-token-of-the-upstream' }
  expect(await read(email)).toMatchObject(succeeded(name))
  world.provider.endAccessTokens(name)
  expect(await read(email)).toMatchObject(succeeded(name))
  const [first, second] = assertions.redeemed.slice(-2).map(idOf)
  expect(first).not.toBe(second)
  expect(world.provider.refreshTokens).toEqual([])
  await expect.poll(() => auditOf(email), { timeout: 10_000 }).toHaveLength(1)
  // A provider that hands out the same one twice is refused at the upstream
  assertions.exchangeAnswer = { access_token: assertions.redeemed.at(-1) }
  world.provider.endAccessTokens(name)
  await edge.challenge('Mail.GetEmails', email)
})

it('gets a new token before the old one expires', async () => {
  const { name, email } = await newSignedIn()
  assertions.lifetime = 1
  const before = asked()
  expect(await read(email)).toMatchObject(succeeded(name))
  await expect
    .poll(async () => [(await read(email)).status, asked().exchanges > before.exchanges + 1], { timeout: 10_000 })
    .toEqual([200, true])
})

it('continues with a refresh token of the sign-in after the ID token expired, or falls back to the link', async () => {
  signIns.idTokenLife = 3
  const ann = await newSignedIn()
  signIns.areOffline = true
  const bob = await newSignedIn()
  await sleep(3_100)
  const before = asked()
  await edge.challenge('Mail.GetEmails', ann.email)
  expect(asked()).toEqual(before)
  expect(await read(bob.email)).toMatchObject(succeeded(bob.name))
  const subject_token_type = 'urn:ietf:params:oauth:token-type:refresh_token'
  expect(assertions.exchanges.at(-1)).toMatchObject({ subject_token_type, audience: world.provider.issuer })
  expect(
    leaked(
      edge.said.join('\n') + edge.server.printed(),
      company.issued.map(({ token }) => token),
    ),
  ).toEqual([])
  company.endGrants(bob.name)
  world.provider.endAccessTokens(bob.name)
  expect(await reasonFor(bob.email)).toContain("refused with 'invalid_grant'")
})

it("requests the scopes of the toolkit's other tools too, and sends each user's token only for that user", async () => {
  const [ann, bob] = [await newSignedIn(), await newSignedIn()]
  expect(await read(ann.email)).toMatchObject(succeeded(ann.name))
  expect(await read(bob.email)).toMatchObject(succeeded(bob.name))
  expect((await read(ann.email, 'Mail.Send')).body.result).toMatchObject({
    success: true,
    value: { sent_as: ann.name },
  })
  expect(assertions.exchanges.at(-1)).toMatchObject({ scope: 'mail.read mail.send' })
  expect(await read(ann.email)).toMatchObject(succeeded(ann.name))
})

it('gives no access after the person revoked it, until they sign in again', async () => {
  const { name, email } = await newSignedIn()
  expect(await read(email)).toMatchObject(succeeded(name))
  const path = `/users/${encodeURIComponent(email)}/grants/mail`
  expect((await edge.ask('DELETE', path)).status).toBe(204)
  expect(world.provider.revoked).toContain(world.api.requests.at(-1)?.token)
  expect(await grantsOf(email)).toEqual([])
  await edge.challenge('Mail.GetEmails', email)
  await signedIn(name)
  expect(await read(email)).toMatchObject(succeeded(name))
  expect((await edge.ask('DELETE', `${path}?toolkit=Mail`)).status).toBe(204)
  await edge.challenge('Mail.GetEmails', email)
})

it('deletes the stored sign-in if the person signs out everywhere, or their access is ended', async () => {
  const [ann, bob] = [await newSignedIn(), await newSignedIn()]
  expect((await ann.who.send('DELETE', `${edge.server.url}/sessions`)).status).toBe(204)
  expect(await grantsOf(ann.email)).toEqual([])
  await edge.challenge('Mail.GetEmails', ann.email)
  expect(await read(bob.email)).toMatchObject(succeeded(bob.name))
  const { body } = await edge.ask('DELETE', `/users/${encodeURIComponent(bob.email)}/access`)
  expect(body).toMatchObject({ accounts: 1, not_revoked: [] })
  expect(await grantsOf(bob.email)).toEqual([])
  await edge.challenge('Mail.GetEmails', bob.email)
})

it("does not use the person's own grant, which an administrator's consent does not cover", async () => {
  const { name, email, who } = await newSignedIn()
  expect(await read(email)).toMatchObject(succeeded(name))
  // Not named any more, the toolkit asks as usual
  await setUp({ toolkits: ['Other'] })
  await who.consent((await edge.challenge('Mail.Send', email)).url, 'another')
  await setUp()
  const before = asked()
  expect(await reasonFor(email)).toContain(REASON.slice(0, 20))
  expect((await read(email, 'Mail.Send')).body.result).toMatchObject({ value: { sent_as: 'another' } })
  expect(asked()).toEqual(before)
})

it('deletes its grant once the person has their own, under any label', async () => {
  const { name, email, who } = await newSignedIn()
  expect(await read(email)).toMatchObject(succeeded(name))
  const connecting = { provider: 'mail', toolkit: 'Mail', account: 'work' }
  const { body } = await edge.ask('POST', `/users/${encodeURIComponent(email)}/connections`, connecting)
  await who.consent(body.url, 'another')
  expect(await read(email)).toMatchObject(succeeded('another'))
  expect((await grantsOf(email)).map(({ provider }: { provider: string }) => provider)).toEqual(['mail', 'sign-in'])
})

it("passes the client scenario of MCP's conformance suite", async () => {
  const command = `${process.execPath} test/conformance/identity-assertion-client.ts`
  const args = ['client', '--command', command, '--scenario', 'auth/enterprise-managed-authorization']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [suite, ...args])
  expect(stdout + stderr).toMatch(/Passed: (\d+)\/\1, 0 failed/)
})

it('refuses invalid settings', async () => {
  const { body } = await edge.ask('PUT', '/providers/mail', {
    issuer: world.provider.issuer,
    client_id: CLIENT_ID,
    identity_assertion: { audience: 'crm', resource: 'https://api.example/#x', toolkits: [] },
  })
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
    '/identity_assertion/audience',
    '/identity_assertion/resource',
    '/identity_assertion/toolkits',
  ])
  expect((await edge.ask('PUT', '/providers/sign-in', { issuer: company.issuer, client_id: 'c' })).status).toBe(400)
  expect(await setUp()).toMatchObject({ identity_assertion: { toolkits: ['Mail'] } })
})
