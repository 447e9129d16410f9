import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  asAdmin,
  callFor,
  challengeFor,
  enter,
  type KeyApi,
  newKey,
  publishKeyTool,
  putProvider,
  startKeyApi,
  variablesBeside,
} from './key-world.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { CLIENT_ID } from './oauth/provider.ts'
import { connectTo, type Connected, startWorld, varsOf, type World } from './oauth/switchboard.ts'
import { type RunningServer, startApp } from './server.ts'

let api: KeyApi
let server: RunningServer
let world: World
let edge: Connected
const said: string[] = []
const secrets: string[] = []

beforeAll(async () => {
  api = await startKeyApi()
  server = await startApp({ vars: variablesBeside(api) })
  const check = { url: `${api.origin}/me`, account: '/login' }
  await putProvider(server, 'notes', { kind: 'bearer', name: 'Notes', check })
  const placed = [{ authorization: 'notes', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
  await publishKeyTool(server, 'List', `${api.origin}/notes`, placed, 'notes')
  world = await startWorld()
  edge = await connectTo(world, await startApp({ vars: varsOf(world) }))
})
afterAll(() => Promise.all([server?.stop(), api?.close(), edge?.server.stop(), world?.close()]))

function createAccount(login: string): string {
  const key = newKey()
  secrets.push(key)
  api.accounts.set(key, login)
  return key
}

async function connect(user: string, login = user): Promise<string> {
  const key = createAccount(login)
  const { url } = await challengeFor(server, 'Notes.List', user)
  expect((await enter(url, { key, token: key }, { said })).status).toBe(200)
  return key
}

const ask = async (method: string, path: string, body?: object, headers = asAdmin) => {
  const answer = await server.json(method, path, body, headers)
  said.push(JSON.stringify(answer.body ?? ''))
  return answer
}
const connectionsOf = async (user: string) => Object((await ask('GET', `/users/${user}/connections`)).body).items
const succeeded = { status: 200, body: { result: { success: true } } }
const mailOf = async (user: string) => (await edge.ask('GET', `/users/${user}/connections`)).body.items

async function keyFor(users: readonly string[]): Promise<{ authorization: string }> {
  const key = { name: 'an agent', scopes: ['tools:call'], tools: ['Notes.*'], users }
  return { authorization: `Bearer ${Object((await ask('POST', '/keys', key)).body).key}` }
}

it('a connected token works, is reported when its API refuses it, and works again after reconnecting', async () => {
  expect(await connectionsOf('ann')).toEqual([])
  const old = await connect('ann')
  const connection = {
    provider: 'notes',
    provider_name: 'Notes',
    kind: 'bearer',
    account: 'ann',
    scopes: [],
    toolkits: [{ toolkit: 'Notes', hosts: [api.host], scopes: [], given_at: expect.any(String) }],
    granted_at: expect.any(String),
    refreshable: false,
  }
  expect(await connectionsOf('ann')).toEqual([{ ...connection, state: 'unknown' }])
  expect(await callFor(server, 'Notes.List', 'ann')).toMatchObject(succeeded)
  expect(await connectionsOf('ann')).toEqual([{ ...connection, state: 'working', last_used_at: expect.any(String) }])

  api.accounts.delete(old)
  const { url, reason } = await challengeFor(server, 'Notes.List', 'ann')
  expect(reason).toContain("The API of 'notes' refuses what the user entered")
  expect(await connectionsOf('ann')).toMatchObject([
    {
      state: 'refused',
      reason: "The API of 'notes' refuses what the user entered",
      last_refused_at: expect.any(String),
    },
  ])
  // The next call has the same one link
  expect((await challengeFor(server, 'Notes.List', 'ann')).url).toBe(url)

  const token = createAccount('ann')
  expect((await enter(url, { token }, { said })).status).toBe(200)
  expect(await connectionsOf('ann')).toEqual([{ ...connection, state: 'unknown' }])
  expect(await callFor(server, 'Notes.List', 'ann')).toMatchObject(succeeded)
  expect(await connectionsOf('ann')).toMatchObject([{ state: 'working' }])
})

it('a token that its API refused is not sent by calls until a check says that it works again', async () => {
  const token = await connect('bea')
  api.accounts.delete(token)
  await challengeFor(server, 'Notes.List', 'bea')
  expect(await connectionsOf('bea')).toMatchObject([{ state: 'refused' }])
  api.accounts.set(token, 'bea')
  const sent = api.arrived.length
  await challengeFor(server, 'Notes.List', 'bea')
  expect(api.arrived.length).toBe(sent)
  expect((await check('bea')).body).toMatchObject({ state: 'working' })
  expect(await callFor(server, 'Notes.List', 'bea')).toMatchObject(succeeded)
  const [connection] = await connectionsOf('bea')
  expect(connection).toMatchObject({ state: 'working', last_refused_at: expect.any(String) })
  expect(connection).not.toHaveProperty('reason')
})

it('a grant that its person revokes at the provider is reported as ended with the reason, and works after reconnecting', async () => {
  const consent = async () => {
    const { url } = await edge.challenge('Mail.GetEmails', 'cleo')
    await new HttpPerson(said).consent(url, 'cleo')
  }
  await consent()
  expect(await mailOf('cleo')).toMatchObject([{ state: 'unknown', kind: 'oauth2', provider_name: 'Test Mail' }])
  expect(await edge.call('Mail.GetEmails', 'cleo')).toMatchObject(succeeded)
  expect(await mailOf('cleo')).toMatchObject([{ state: 'working', refreshable: true }])
  world.provider.endGrants('cleo')
  const { body } = await edge.call('Mail.GetEmails', 'cleo')
  expect(body.missing_requirements.authorization).toHaveLength(1)
  expect(body.developer_message).toMatch(/'mail' refused with 'invalid_grant'.*no longer accepted/)
  expect((await edge.ask('GET', '/users/cleo/grants')).body.items).toEqual([])
  expect(await mailOf('cleo')).toMatchObject([
    { state: 'ended', toolkits: [], reason: expect.stringMatching(/invalid_grant.*no longer accepted/) },
  ])
  await consent()
  expect(await edge.call('Mail.GetEmails', 'cleo')).toMatchObject(succeeded)
  expect(await mailOf('cleo')).toMatchObject([{ state: 'working' }])
  world.provider.endGrants('cleo')
  await edge.call('Mail.GetEmails', 'cleo')
  expect((await edge.ask('DELETE', '/users/cleo/grants/mail')).status).toBe(204)
  expect(await mailOf('cleo')).toEqual([])
})

const check = async (user: string, query = '', headers = asAdmin) =>
  ask('POST', `/users/${user}/connections/notes/check${query}`, undefined, headers)

it('a check asks the provider, and its result is stored and audited', async () => {
  const token = await connect('eve', 'eve@notes.example')
  const working = { state: 'working', account: 'eve@notes.example', answered_as: 'eve@notes.example' }
  expect(await check('eve')).toMatchObject({ status: 200, body: working })
  expect(await connectionsOf('eve')).toMatchObject([{ state: 'working', last_used_at: expect.any(String) }])
  expect((await connectionsOf('eve'))[0]).not.toHaveProperty('answered_as')

  api.accounts.delete(token)
  const refused = { state: 'refused', reason: "The API of 'notes' refuses what the user entered" }
  expect(await check('eve')).toMatchObject({ status: 200, body: refused })
  expect(await connectionsOf('eve')).toMatchObject([refused])

  // A provider that cannot be asked changes nothing that is stored
  for (const [status, reason] of [
    [500, "'notes' cannot be asked now: it answered 500"],
    [429, "'notes' cannot be asked now: it answered 429"],
    [302, "'notes' cannot be asked now: its check redirects, which an administrator must put right"],
  ] as const) {
    api.answerCheck = (response) => void response.writeHead(status, { location: '/elsewhere' }).end()
    expect(await check('eve')).toMatchObject({ status: 200, body: { state: 'unknown', reason } })
  }
  api.answerCheck = undefined
  expect(await connectionsOf('eve')).toMatchObject([refused])
  api.accounts.set(token, 'eve@notes.example')
  expect(await check('eve')).toMatchObject({ body: { state: 'working' } })
  await expect
    .poll(async () => Object((await ask('GET', '/audit?act=connection.check')).body).items)
    .toMatchObject([
      { about: { state: 'working' }, outcome: 'success' },
      {},
      {},
      {},
      { about: { state: 'refused' } },
      {},
      {},
    ])
})

it('a check is only for callers who may act for the user, and for one existing account', async () => {
  await connect('fay', 'work')
  const context = { account: 'home' }
  const { url } = await challengeFor(server, 'Notes.List', 'fay', context)
  expect((await enter(url, { token: createAccount('at-home') }, { said })).status).toBe(200)
  const several = await check('fay')
  expect([several.status, JSON.stringify(several.body)]).toEqual([400, expect.stringContaining('?account=')])
  expect(await check('fay', '?account=home')).toMatchObject({ body: { account: 'home', answered_as: 'at-home' } })
  expect((await check('fay', '?account=none')).status).toBe(404)
  expect((await check('nobody')).status).toBe(404)
  expect((await check('fay', '?acount=home')).status).toBe(400)
  const arrived = api.arrived.length
  expect((await check('fay', '?account=home', await keyFor(['mallory']))).status).toBe(403)
  expect((await server.json('POST', '/users/fay/connections/notes/check')).status).toBe(401)
  expect(api.arrived).toHaveLength(arrived)
})

it("a check sends a person's credential only to the check URL that they were shown", async () => {
  await connect('gil')
  try {
    const path = { url: `${api.origin}/elsewhere`, account: '/login' }
    for (const moved of [path, undefined]) {
      const arrived = api.arrived.length
      await putProvider(server, 'notes', { kind: 'bearer', name: 'Notes', ...(moved && { check: moved }) })
      expect(await check('gil')).toMatchObject({
        status: 200,
        body: { state: 'unknown', reason: expect.stringMatching(/check of 'notes' is new/) },
      })
      expect(api.arrived).toHaveLength(arrived)
    }
  } finally {
    await putProvider(server, 'notes', {
      kind: 'bearer',
      name: 'Notes',
      check: { url: `${api.origin}/me`, account: '/login' },
    })
  }
  expect(await check('gil')).toMatchObject({ body: { state: 'working' } })
})

it('a check of a provider without one reports that, and a check of a deleted provider finds nothing', async () => {
  await putProvider(server, 'plain', { kind: 'bearer' })
  const placed = [{ authorization: 'plain', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
  await publishKeyTool(server, 'Plain', `${api.origin}/notes`, placed, 'plain')
  const { url } = await challengeFor(server, 'Notes.Plain', 'hal')
  await enter(url, { token: createAccount('hal') }, { said })
  const path = '/users/hal/connections/plain/check'
  expect(await ask('POST', path)).toMatchObject({
    body: { state: 'unknown', reason: expect.stringMatching(/no check/) },
  })
  await ask('DELETE', '/providers/plain')
  expect((await ask('POST', path)).status).toBe(404)
  expect(await connectionsOf('hal')).toMatchObject([{ provider: 'plain', provider_name: 'plain', state: 'unknown' }])
})

const checkMail = async (user: string) => (await edge.ask('POST', `/users/${user}/connections/mail/check`)).body

it('a check of a grant looks up its account, refreshes its token if expired or refused, and stores the result', async () => {
  const consent = async (user: string, account: string) => {
    const { url } = await edge.challenge('Mail.GetEmails', user)
    await new HttpPerson(said).consent(url, account)
  }
  await consent('iris', 'iris')
  expect(await checkMail('iris')).toMatchObject({ state: 'unknown', reason: expect.stringContaining("'openid'") })
  expect(await mailOf('iris')).toMatchObject([{ state: 'unknown' }])

  world.provider.claims['joe'] = { email: 'joe@mail.example' }
  const put = await edge.ask('PUT', '/providers/mail', {
    name: 'Test Mail',
    issuer: world.provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'MAIL_CLIENT_SECRET',
    extra_scopes: ['openid', 'email', 'offline_access'],
    authorization_parameters: { prompt: 'consent' },
  })
  expect(put.status).toBe(200)
  await consent('joe', 'joe')
  expect(await checkMail('joe')).toMatchObject({ state: 'working', answered_as: 'joe@mail.example' })
  const refreshes = () => world.provider.tokenRequests['refresh_token'] ?? 0
  const before = refreshes()
  world.provider.endAccessTokens('joe')
  expect(await checkMail('joe')).toMatchObject({ state: 'working', answered_as: 'joe@mail.example' })
  expect(refreshes()).toBe(before + 1)
  await world.provider.fail('error')
  expect(await checkMail('joe')).toMatchObject({
    state: 'unknown',
    reason: expect.stringContaining("'mail' cannot be asked"),
  })
  await world.provider.fail('none')
  expect(await mailOf('joe')).toMatchObject([{ state: 'working' }])
  world.provider.endGrants('joe')
  expect(await checkMail('joe')).toMatchObject({
    state: 'ended',
    reason: expect.stringContaining('no longer accepted'),
  })
  expect(await mailOf('joe')).toMatchObject([{ state: 'ended' }])
  expect(await checkMail('joe')).toMatchObject({ state: 'ended' })
})

const link = async (user: string, body: object, headers = asAdmin) =>
  ask('POST', `/users/${user}/connections`, body, headers)
const NOTES = { provider: 'notes', toolkit: 'Notes' }

it('an account can be connected by a link before a call needs it, for all tools of the toolkit, and again later', async () => {
  const { status, body } = await link('kim', NOTES)
  expect([status, body]).toEqual([
    201,
    {
      id: 'notes',
      authorization: expect.any(String),
      url: expect.stringMatching(/\/authorizations\/[^/]+\/start$/),
      check_url: expect.any(String),
      scopes: [],
      status: 'not_started',
    },
  ])
  const token = createAccount('kim')
  expect((await enter(Object(body).url, { token }, { said })).text).toContain('kim')
  const [{ toolkits }] = await connectionsOf('kim')
  expect(toolkits).toMatchObject([{ toolkit: 'Notes', hosts: [api.host] }])
  expect(await callFor(server, 'Notes.List', 'kim')).toMatchObject(succeeded)
  // Refused: the same account is connected anew
  api.accounts.delete(token)
  await challengeFor(server, 'Notes.List', 'kim')
  const again = await link('kim', { ...NOTES, account: 'kim' })
  expect((await enter(Object(again.body).url, { token: createAccount('kim') }, { said })).status).toBe(200)
  expect(await connectionsOf('kim')).toMatchObject([{ account: 'kim', state: 'unknown' }])
  expect(await callFor(server, 'Notes.List', 'kim')).toMatchObject(succeeded)
})

it('a link to connect an account keeps the scopes granted to other toolkits', async () => {
  const { url } = await edge.challenge('Mail.GetEmails', 'lea')
  await new HttpPerson(said).consent(url, 'lea')
  const { status, body } = await edge.ask('POST', '/users/lea/connections', { provider: 'mail', toolkit: 'Mail' })
  expect(status).toBe(201)
  expect([...body.scopes].filter((scope: string) => scope.startsWith('mail.')).toSorted()).toEqual([
    'mail.read',
    'mail.send',
  ])
  await new HttpPerson(said).consent(body.url, 'lea')
  expect(await edge.call('Mail.GetEmails', 'lea')).toMatchObject(succeeded)
  expect((await edge.call('Mail.Send', 'lea')).body).not.toHaveProperty('missing_requirements')
})

it('a link to connect an account covers only tools that may use the provider, and only their hosts', async () => {
  const provider = { kind: 'bearer', tools: ['Notes.Named'] }
  await putProvider(server, 'named', provider)
  const placed = [{ authorization: 'named', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
  for (const [name, path] of [
    ['Another', 'https://another.example/notes'],
    ['Named', `${api.origin}/notes`],
  ] as const)
    await publishKeyTool(server, name, path, placed, 'named')
  const { status, body } = await link('ned', { provider: 'named', toolkit: 'Notes' })
  expect(status, JSON.stringify(body)).toBe(201)
  const { text } = await new HttpPerson().open(Object(body).url)
  expect(text).toContain(api.host)
  expect(text).not.toContain('another.example')
})

it.each([
  ['no tool requires the provider', { ...NOTES, provider: 'other' }, 404],
  ['the toolkit is unknown', { ...NOTES, toolkit: 'Nothing' }, 404],
  ['the toolkit is missing', { provider: 'notes' }, 400],
  ['a field is unknown', { ...NOTES, users: 'any' }, 400],
])('a link to connect an account is refused if %s', async (_, body, status) => {
  expect((await link('kim', body)).status).toBe(status)
})

it('a link to connect an account is only for callers who may act for the user, and for tools that they see', async () => {
  expect((await link('kim', NOTES, await keyFor(['mallory']))).status).toBe(403)
  expect((await server.json('POST', '/users/kim/connections', NOTES)).status).toBe(401)
  const key = { name: 'k', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'], users: ['mia'] }
  const authorization = `Bearer ${Object((await ask('POST', '/keys', key)).body).key}`
  expect((await link('mia', NOTES, { authorization })).status).toBe(404)
})

it("only callers who may act for a user see the state of that user's connections", async () => {
  await connect('dora')
  const [own, other] = [await keyFor(['dora']), await keyFor(['mallory'])]
  expect((await ask('GET', '/users/dora/connections', undefined, own)).status).toBe(200)
  expect(await ask('GET', '/users/mallory/connections', undefined, other)).toMatchObject({ body: { items: [] } })
  const refused = await ask('GET', '/users/dora/connections', undefined, other)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.not.stringContaining('notes')])
  expect((await server.json('GET', '/users/dora/connections')).status).toBe(401)
})

it("no response, page or log about connections has people's credentials or tokens", () => {
  const issued = world.provider.issued.map(({ token }) => token)
  const texts = [...said, ...edge.said, server.printed(), edge.server.printed()].join('\n')
  expect([...secrets, ...issued].filter((secret) => texts.includes(secret))).toEqual([])
  expect(secrets.length).toBeGreaterThan(3)
})
