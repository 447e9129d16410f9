import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { connected, rpc } from './oauth/agent.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { startProvider, type TestProvider } from './oauth/provider.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { type RunningServer, startApp, startServer } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const JWT_SECRET = 'a secret of JWTs that is long enough for HS256'
const PASSWORD = 'hunter2-is-no-password'
const TOKEN = 'ya29.a-token-of-the-caller'
const TOKEN_IN_BASE64 = btoa(TOKEN).replace(/=+$/, '')
const LINK = 'https://tools.test/authorizations/a1b2c3?x=1'

type Headers = Readonly<Record<string, string>>

let server: RunningServer
let upstream: Upstream
let provider: TestProvider
beforeAll(async () => {
  ;[provider, upstream] = await Promise.all([
    startProvider(),
    startUpstream(({ body }, response) => {
      response.writeHead(body.includes('"break"') ? 500 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ given: body, api_key: 'a key of the answer', link: LINK }))
    }),
  ])
  for (const name of ['ann', 'bob']) provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      JWT_SECRET,
      JWT_ISSUER: 'https://jwts.test',
      VAULT_KEYS: 'a key that encrypts for this test',
      RECORD_CALL_CONTENT: 7,
      ALLOW_HTTP_HOSTS: `${provider.host},${upstream.host}`,
      ...signInVars(provider, [{ domain: 'acme.test', toolkits: ['Calculator', 'Echo'] }]),
    },
  })
  provider.allowRedirectTo(`${server.url}/sign-in/callback`)
  const login = { type: 'object', properties: { word: { type: 'string', writeOnly: true } } }
  const properties = { text: { type: 'string' }, login, key: { type: 'string' } }
  for (const [id, more] of [
    ['Echo.Given@1.0.0', {}],
    ['Echo.Approved@1.0.0', { security_level: 8 }],
  ] as const) {
    const input_schema = { type: 'object', properties }
    const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/echo` }
    const body = { definition: definition(id, { input_schema }), implementation, ...more }
    const published = await server.json('POST', '/tools', body, ADMIN)
    expect(published.status, JSON.stringify(published.body)).toBe(201)
  }
})
afterAll(() => Promise.all([server?.stop(), upstream?.close(), provider?.close()]))

async function keyWith(more: object = {}): Promise<Headers> {
  const made = await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'], ...more }, ADMIN)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { authorization: `Bearer ${made.body.key}` }
}

let made = 0
/** Makes a call, and gives its id once it is recorded. */
async function called(tool_id: string, input: object, as: Headers, context: object = {}): Promise<string> {
  const call_id = `call-${++made}`
  await server.json('POST', '/tools/call', { call_id, tool_id, input, context }, as)
  await expect.poll(async () => (await read(call_id, ADMIN)).status, { timeout: 10_000 }).toBe(200)
  return call_id
}

const read = (id: string, as: Headers) => server.json('GET', `/calls/${id}`, undefined, as)

it('only the caller reads the input and output of a call, whatever rights others have', async () => {
  const [caller, other] = [await keyWith({ users: ['ann'] }), await keyWith({ users: ['ann'], tools: ['Echo.*'] })]
  const auditor = await keyWith({ scopes: ['records:read', 'tools:call'] })
  const id = await called('Calculator.Add', { a: 1, b: 2 }, caller)
  expect((await read(id, caller)).body).toMatchObject({
    call_id: id,
    tool: 'Calculator.Add@1.0.0',
    outcome: 'success',
    content: { input: { a: 1, b: 2 }, output: 3 },
  })
  for (const everyone of [ADMIN, auditor]) {
    const { status, body } = await read(id, everyone)
    expect([status, body.call_id, body.content]).toEqual([200, id, undefined])
  }
  const hidden = await read(id, other)
  expect([hidden.status, hidden.body.message]).toEqual([404, `Cannot find the call '${id}'`])
  expect((await read('no-such-call', other)).status).toBe(404)
  expect((await read(id, {})).status).toBe(401)
  expect(JSON.stringify((await server.json('GET', '/calls', undefined, caller)).body)).not.toContain('content')
})

it("a call id that two callers chose finds each caller's own call, and a time selects one of several", async () => {
  const [one, other] = [await keyWith(), await keyWith()]
  const call = (as: Headers, a: number) =>
    server.json('POST', '/tools/call', { call_id: 'shared', tool_id: 'Calculator.Add', input: { a, b: 0 } }, as)
  await call(one, 1)
  await call(other, 2)
  await expect.poll(async () => (await read('shared', other)).status, { timeout: 10_000 }).toBe(200)
  expect((await read('shared', one)).body.content.input).toEqual({ a: 1, b: 0 })
  expect((await read('shared', other)).body.content.input).toEqual({ a: 2, b: 0 })
  const { at } = (await read('shared', one)).body
  expect((await read(`shared?at=${at}`, one)).status).toBe(200)
  expect((await read('shared?at=2026-01-01T00:00:00Z', one)).status).toBe(404)
  expect((await read('shared?at=yesterday', one)).body.message).toContain("Cannot read the query at 'at'")
  expect((await read('s%', one)).status).toBe(400)
})

it("a JWT of the same user that covers fewer tools cannot read the other tools' content", async () => {
  const jwt = async (tools: readonly string[]) => {
    const token = new SignJWT({ tools, scope: 'tools:call' }).setProtectedHeader({ alg: 'HS256' }).setSubject('dan')
    const key = new TextEncoder().encode(JWT_SECRET)
    return { authorization: `Bearer ${await token.setIssuer('https://jwts.test').setExpirationTime('1h').sign(key)}` }
  }
  const [wide, narrow] = [await jwt(['*']), await jwt(['Echo.*'])]
  const id = await called('Calculator.Add', { a: 1, b: 2 }, wide)
  expect((await read(id, wide)).body.content).toEqual({ input: { a: 1, b: 2 }, output: 3 })
  const { status, body } = await read(id, narrow)
  expect([status, body.call_id, body.content]).toEqual([200, id, undefined])
})

it('recorded content has no secrets: no credential, marked field, name or link reveals one', async () => {
  const caller = await keyWith()
  const input = { text: `${PASSWORD} ${TOKEN} ${LINK}`, login: { word: PASSWORD }, key: TOKEN_IN_BASE64 }
  const context = { authorization: [{ id: 'any', token: TOKEN }] }
  const id = await called('Echo.Given', input, caller, context)
  const { content } = (await read(id, caller)).body
  expect(content.input).toEqual({
    text: '[redacted] [redacted] https://tools.test/authorizations/[redacted]',
    login: { word: '[redacted]' },
    key: '[redacted]',
  })
  expect(content.output).toMatchObject({
    api_key: '[redacted]',
    link: 'https://tools.test/authorizations/[redacted]',
  })
  const text = JSON.stringify(content)
  for (const secret of [PASSWORD, TOKEN, TOKEN_IN_BASE64, 'a1b2c3', 'a key of the answer'])
    expect(text).not.toContain(secret)
  expect(server.printed()).not.toContain('[redacted] [redacted]')
  // No tool runs, so nothing else redacts it
  const refused = await called('Echo.Given', { text: 1, login: { word: PASSWORD }, key: PASSWORD }, caller)
  const { body } = await read(refused, caller)
  expect(body.outcome).toBe('input-invalid')
  expect(body.content).toEqual({
    input: { text: 1, login: { word: '[redacted]' }, key: '[redacted]' },
    error: expect.stringMatching(/^\/text: Must be /),
  })
})

it('recorded content of a failure has its reason, and that of a call waiting for approval has no link', async () => {
  const caller = await keyWith()
  const broken = await called('Echo.Given', { text: 'break' }, caller)
  expect((await read(broken, caller)).body).toMatchObject({
    outcome: 'tool-failed',
    content: { input: { text: 'break' }, error: expect.stringContaining('500') },
  })
  const person = await keyWith({ tools: ['Echo.*'], users: ['ann'] })
  const waits = await called('Echo.Approved', { text: 'a' }, person)
  const { outcome, content } = (await read(waits, person)).body
  expect(outcome, JSON.stringify(content)).toMatch(/^(?:approval-required|forbidden)$/)
  expect(content.error).toBeDefined()
  expect(JSON.stringify(content)).not.toMatch(/https?:/)
})

it('a part of the content that is too large is not recorded, and is reported as such', async () => {
  const caller = await keyWith()
  const id = await called('Echo.Given', { text: 'x'.repeat(20_000) }, caller)
  expect((await read(id, caller)).body.content).toEqual({ too_large: ['input', 'output'] })
  const half = await called('Echo.Given', { text: 'x'.repeat(16_000) }, caller)
  const { content } = (await read(half, caller)).body
  expect(content.input.text).toHaveLength(16_000)
  expect(content.output.given).toContain('x'.repeat(16_000))
})

it("a person reads their own calls and their agents' calls; no agent reads any, and no person those of others", async () => {
  const [ann, bob] = [new HttpPerson(), new HttpPerson()]
  await signIn(ann, server.url, 'ann')
  await signIn(bob, server.url, 'bob')
  const { tokens } = await connected(ann, server.url, ['Calculator'])
  const params = { name: 'Calculator_Add', arguments: { a: 20, b: 3 } }
  expect((await rpc(server.url, tokens.access_token, 'tools/call', params)).status).toBe(200)
  const byAgent = async () =>
    (await server.json('GET', '/calls', undefined, ADMIN)).body.items.find((each: any) =>
      each.principal.startsWith('agent:'),
    )
  await expect.poll(byAgent, { timeout: 10_000 }).toBeDefined()
  const { call_id: id, at, user_id } = await byAgent()
  const page = `${server.url}/console/calls/${id}?at=${at}`
  const own = await ann.open(page)
  expect(own.status).toBe(200)
  expect(own.text).toContain('<h2>Input</h2>')
  expect(own.text).toContain('<h2>Result</h2>')
  const again = /<a class="button" href="([^"]+)">\s*Call again/.exec(own.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = await ann.open(server.url + again)
  expect(form.text).toMatch(/name="input\/a"[^>]*value="20"/)
  expect(form.text).toMatch(/name="input\/b"[^>]*value="3"/)
  // Of somebody else's call, neither the page nor the form says anything
  const others = await bob.open(page)
  expect([others.status, others.text.includes('<h2>Input</h2>')]).toEqual([404, false])
  expect((await bob.open(server.url + again)).text).not.toMatch(/name="input\/a"[^>]*value="20"/)
  expect((await read(id, { authorization: `Bearer ${tokens.access_token}` })).status).toBe(401)
  expect((await read(id, ADMIN)).body.content).toBeUndefined()
  // A key that acts for the person has calls of its own
  const application = await keyWith({ users: 'any' })
  const forAnn = await called('Calculator.Add', { a: 4, b: 5 }, application, { user_id })
  const shown = await ann.open(`${server.url}/console/calls/${forAnn}`)
  expect([shown.status, shown.text.includes('<h2>Input</h2>')]).toEqual([200, false])
})

it.each([
  [0, []],
  [
    1,
    [{ call_id: 'stored', at: expect.any(Number), owner: 'admin', sealed: expect.stringMatching(/^[\w-]+\.[\w-]+$/) }],
  ],
])('with RECORD_CALL_CONTENT at %i, storage has this of a call: %j', async (RECORD_CALL_CONTENT, stored) => {
  const MARKER = 'a-text-of-the-input'
  const vars = { ACCESS: 'keys', ADMIN_KEY, VAULT_KEYS: 'a key that encrypts for this test', RECORD_CALL_CONTENT }
  const own = await startServer({ vars })
  const call = { call_id: 'stored', tool_id: 'Calculator.Add', input: { a: MARKER } }
  await own.json('POST', '/tools/call', call, ADMIN)
  const recorded = () => own.json('GET', '/calls/stored', undefined, ADMIN)
  await expect.poll(async () => (await recorded()).status, { timeout: 10_000 }).toBe(200)
  expect(JSON.stringify((await recorded()).body).includes(MARKER)).toBe(RECORD_CALL_CONTENT > 0)
  await own.stop({ keep: true })
  const files = readdirSync(own.persistTo, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(own.persistTo, name),
  )
  const isIn = (text: string) =>
    files.some((name) => /\.sqlite(?:-wal)?$/.test(name) && readFileSync(name).includes(text))
  expect([isIn(MARKER), isIn('Calculator.Add')]).toEqual([false, true])
  const databases = files.filter((name) => /Records.*\.sqlite$/.test(name)).map((name) => new DatabaseSync(name))
  const days = databases.filter((each) => each.prepare("SELECT 1 FROM sqlite_master WHERE name = 'content'").get())
  expect(days).toHaveLength(1)
  expect(days.flatMap((each) => each.prepare('SELECT * FROM content').all())).toEqual(stored)
  databases.forEach((each) => each.close())
})
