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

it('a connected token works, is refused by its API, is told at the call, and works again once it is connected anew', async () => {
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

it('a token that its API refuses for a while works again with the next call that succeeds', async () => {
  const token = await connect('bea')
  api.accounts.delete(token)
  await challengeFor(server, 'Notes.List', 'bea')
  expect(await connectionsOf('bea')).toMatchObject([{ state: 'refused' }])
  api.accounts.set(token, 'bea')
  expect(await callFor(server, 'Notes.List', 'bea')).toMatchObject(succeeded)
  const [connection] = await connectionsOf('bea')
  expect(connection).toMatchObject({ state: 'working', last_refused_at: expect.any(String) })
  expect(connection).not.toHaveProperty('reason')
})

it('a grant that its person takes back at the provider has ended, says why, and works once it is connected anew', async () => {
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

it('only who may act for a user sees how the connections of that user work', async () => {
  await connect('dora')
  const [own, other] = [await keyFor(['dora']), await keyFor(['mallory'])]
  expect((await ask('GET', '/users/dora/connections', undefined, own)).status).toBe(200)
  expect(await ask('GET', '/users/mallory/connections', undefined, other)).toMatchObject({ body: { items: [] } })
  const refused = await ask('GET', '/users/dora/connections', undefined, other)
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.not.stringContaining('notes')])
  expect((await server.json('GET', '/users/dora/connections')).status).toBe(401)
})

it('no answer, page or log about connections has what people entered, or a token', () => {
  const issued = world.provider.issued.map(({ token }) => token)
  const texts = [...said, ...edge.said, server.printed(), edge.server.printed()].join('\n')
  expect([...secrets, ...issued].filter((secret) => texts.includes(secret))).toEqual([])
  expect(secrets.length).toBeGreaterThan(3)
})
