import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Response } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const ISSUER = 'https://id.acme.test'
const RULES = [
  { domain: 'acme.test', toolkits: ['SMS'] },
  { domain: 'partner.test' },
  { group: 'platform', scopes: ['admin'] },
  { group: 'auditors', scopes: ['records:read'] },
  { group: 'publishers', scopes: ['tools:publish'], toolkits: ['Calculator'] },
]

let server: RunningServer
let sign: (claims: Record<string, unknown>) => Promise<{ authorization: string }>

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }]
  sign = async (claims) => {
    const token = new SignJWT({ iss: ISSUER, sub: '00u1', email_verified: true, ...claims })
    const jwt = await token.setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime('5m').sign(privateKey)
    return { authorization: `Bearer ${jwt}` }
  }
  const vars = { ACCESS: 'keys', JWT_JWKS_URL: `${ISSUER}/keys`, JWT_ISSUER: ISSUER, SIGN_IN_USER: 'email' }
  server = await startApp({ vars: { ...vars, SIGN_IN_RULES: RULES }, outbound: () => Response.json({ keys }) })
})
afterAll(() => server?.stop())

const call = async (tool: string, claims: Record<string, unknown>, input: object, more: object = {}) =>
  server.json('POST', '/tools/call', { tool_id: tool, input, ...more }, await sign(claims))
const send = (claims: Record<string, unknown>, more?: object) =>
  call('SMS.Send', claims, { phone_number: '+14155550100', message: 'Hi' }, more)
const missing = { missing_requirements: { secrets: [{ id: 'TWILIO_API_KEY' }] } }

it("a company's plain token can call a tool of level 4 whose toolkit a rule names, as its verified e-mail address", async () => {
  const ann = { email: 'Ann@acme.test' }
  // All that is missing is the secret of this deployment
  expect(await send(ann)).toMatchObject({ status: 400, body: missing })
  expect(await send(ann, { context: { user_id: 'ann@acme.test' } })).toMatchObject({ status: 400, body: missing })
  expect(await send(ann, { context: { user_id: 'bob@acme.test' } })).toMatchObject({ status: 403 })
  const { body } = await server.json('GET', '/tools', undefined, await sign(ann))
  expect(new Set(body.items.map(({ id }: { id: string }) => id.split('.')[0]))).toEqual(new Set(['SMS']))
})

it("a company's plain token can do only what its rules allow", async () => {
  const bob = { email: 'bob@partner.test' }
  expect(await call('Calculator.Subtract', bob, { a: 3, b: 1 })).toMatchObject({ status: 200 })
  expect(await send(bob)).toMatchObject({ status: 403 })
  expect(await server.json('GET', '/keys', undefined, await sign(bob))).toMatchObject({ status: 403 })
  const root = await sign({ email: 'root@partner.test', groups: ['platform'] })
  expect(await server.json('GET', '/keys', undefined, root)).toMatchObject({ status: 200 })
})

it("a company's plain token cannot combine a scope of one rule with the tools of another", async () => {
  const own = ['SMS']
  const claims = { email: 'ann@acme.test', groups: ['auditors', 'publishers'] }
  const as = await sign(claims)
  expect((await server.json('GET', '/calls', undefined, as)).status).toBe(200)
  const mcp = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...as }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const lists = {
    tools: await server.json('GET', '/tools', undefined, as),
    ranked: await server.json('GET', '/tools?q=numbers', undefined, as),
    versions: await server.json('GET', '/tools?versions=all', undefined, as),
    toolkits: await server.json('GET', '/toolkits', undefined, as),
    worker: await server.json('GET', '/worker/tools', undefined, as),
    context: await server.json('GET', '/machine-context/tools', undefined, as),
    mcp: await server.json('POST', '/mcp', list, mcp),
    chosen: await server.json('POST', '/mcp?tools=Calculator.Add,Calculator.*', list, mcp),
  }
  for (const [name, { body }] of Object.entries(lists))
    expect([name, JSON.stringify(body)]).toEqual([name, expect.not.stringMatching(/Calculator.(?:Add|Subtract)|Text/)])
  expect(lists.toolkits.body.items.map(({ toolkit }: { toolkit: string }) => toolkit)).toEqual(own)
  for (const path of ['', '/readiness', '/versions', '/icon'])
    expect([path, (await server.json('GET', `/tools/Calculator.Add${path}`, undefined, as)).status]).toEqual([
      path,
      404,
    ])
  expect(await call('Calculator.Add', claims, { a: 1, b: 2 })).toMatchObject({ status: 403 })
  expect(await send(claims)).toMatchObject({ status: 400, body: missing })
  const readable = await sign({ email: 'bob@partner.test', groups: ['publishers'] })
  expect((await server.json('GET', '/tools/Calculator.Add/implementation', undefined, readable)).status).not.toBe(404)
  const patch = { status: 'disabled' }
  expect((await server.json('PATCH', '/tools/SMS.Send@1.0.0', patch, as)).status).toBe(404)
})

it.each([
  [{ email: 'eve@acme.test.evil.test' }, 403, 'SIGN_IN_RULES grants'],
  [{ email: 'eve@evil.test', scope: 'admin' }, 403, 'SIGN_IN_RULES grants'],
  [{ email: 'ann@acme.test', email_verified: false }, 401, 'no verified e-mail address'],
  [{ sub: 'ann@acme.test' }, 401, 'no verified e-mail address'],
])("a company's plain token with %j is refused", async (claims, status, why) => {
  for (const path of ['/tools', '/worker/tools', '/machine-context/tools', '/plugin/describe', '/keys']) {
    const answer = await server.json('GET', path, undefined, await sign(claims))
    expect(answer.status, path).toBe(status)
    expect(JSON.stringify(answer.body), path).toContain(why)
  }
})

it("a company's plain token that names its tools defines its own rights", async () => {
  const named = { email: 'eve@evil.test', tools: ['SMS.*'] }
  expect(await send(named)).toMatchObject({ status: 400, body: missing })
  expect(await call('Calculator.Subtract', named, { a: 3, b: 1 })).toMatchObject({ status: 403 })
})
