import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendMcp, TAKES_TASKS } from './mcp-request.ts'
import { codeFor, connected, newAgent, redeem, refresh } from './oauth/agent.ts'
import { connectPerson, IN, OUT, signInPerson } from './oauth/connected-person.ts'
import type { HttpPerson } from './oauth/http-person.ts'
import { signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { patch } from './scim/set-up.ts'

/** One step ends all that a person has here, and nothing of anybody else. */

const RULES = [
  { domain: 'acme.test', toolkits: ['Mail', 'mailbox', 'Calculator'] },
  { address: 'hal@acme.test', scopes: ['tools:publish'], toolkits: ['mailbox'] },
]
const JWT_SECRET = 'what the program of the company signs with'
const NONE = { sessions: 0, agents: 0, accounts: 0, authorizations: 0, not_revoked: [] }

let world: World
let edge: Connected
let url: string

beforeAll(async () => {
  world = await startWorld()
  for (const name of ['ann', 'bob', 'cy', 'dee', 'eve', 'fay', 'gil', 'hal'])
    world.provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  edge = await connect(world, {
    vars: { ...signInVars(world.provider, RULES), JWT_SECRET, JWT_ISSUER: world.provider.issuer },
  })
  ;({ url } = edge.server)
  world.provider.allowRedirectTo(`${url}/sign-in/callback`)
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))

const end = (user: string) => edge.ask('DELETE', `/users/${encodeURIComponent(user)}/access`)
const listed = async (query = '') => (await edge.ask('GET', `/users${query}`)).body
it("one request ends a person's sessions, agents, accounts and open authorizations, and no one else's", async () => {
  const [ann, bob] = [await connectPerson(edge, 'ann'), await connectPerson(edge, 'bob')]
  const approval = await edge.challenge('mailbox.empty', ann.user, { folder: 'old' })
  const bobsApproval = await edge.challenge('mailbox.empty', bob.user, { folder: 'old' })
  const key = await edge.ask('POST', '/keys', {
    name: 'ann and bob',
    scopes: ['tools:read'],
    users: [ann.user, bob.user],
  })
  expect(await listed()).toEqual({
    items: [ann, bob].map(({ user }) => ({ user_id: user, accounts: 1, agents: 1, sessions: 1, keys: 1 })),
  })
  expect([await ann.state(), await bob.state()]).toEqual([IN, IN])

  const had = await edge.ask('GET', `/users/${encodeURIComponent(ann.user)}/access`)
  expect(had.body).toMatchObject({
    user_id: ann.user,
    accounts: [{ provider: 'mail' }],
    agents: [{ client: { name: 'A test agent' } }],
    keys: [{ name: 'ann and bob' }],
  })
  expect(JSON.stringify(had.body)).not.toContain(ann.tokens.access_token)
  const revoked = world.provider.revoked.length
  const answer = await end(ann.user)
  expect(answer.body).toEqual({
    user_id: ann.user,
    sessions: 1,
    agents: 1,
    accounts: 1,
    authorizations: 1,
    not_revoked: [],
    keys: [{ id: key.body.id, name: 'ann and bob' }],
  })
  expect(world.provider.revoked.length).toBeGreaterThan(revoked)
  expect(await ann.state()).toEqual(OUT)
  expect((await refresh(ann.agent, ann.tokens.refresh_token)).status).toBe(400)
  expect((await edge.ask('GET', approval.check_url)).body).toMatchObject({ status: 'failed' })
  expect((await edge.ask('GET', bobsApproval.check_url)).body).toMatchObject({ status: 'not_started' })
  expect(await bob.state()).toEqual(IN)

  const again = await end(ann.user)
  expect([again.status, again.body]).toMatchObject([200, { ...NONE, authorizations: 1 }])
  expect((await end(ann.user)).body).toMatchObject(NONE)
  const { items } = await listed('?q=ANN')
  expect(items).toEqual([{ user_id: ann.user, accounts: 0, agents: 0, sessions: 0, keys: 1 }])

  await expect
    .poll(async () => (await edge.ask('GET', '/audit?act=access.end&limit=1')).body.items[0]?.about)
    .toMatchObject({ ...NONE, user_id: ann.user })
  const events = (await edge.ask('GET', '/audit?act=access.end')).body.items
  expect(events.at(-1)).toMatchObject({ principal: 'admin', outcome: 'success', about: { accounts: 1, agents: 1 } })
  await edge.ask('DELETE', `/keys/${key.body.id}`)
})

it('an unredeemed code, and a consent in progress at the provider, end with the access', async () => {
  const cy = await signInPerson(url, 'cy')
  const agent = await newAgent(url)
  const code = await codeFor(cy, agent, ['Calculator'])
  const { url: link, check_url } = await edge.challenge('Mail.GetEmails', 'cy@acme.test')
  const atProvider = await cy.press(await cy.open(link), /continue/i)
  expect((await end('cy@acme.test')).body).toMatchObject({ sessions: 1, agents: 1, accounts: 0, authorizations: 1 })
  expect((await redeem(agent, code)).status).toBe(400)
  const ended = await cy.answerProvider(atProvider, 'cy')
  expect(ended.status).toBe(410)
  expect((await edge.ask('GET', check_url)).body).toMatchObject({ status: 'failed' })
  expect((await edge.ask('GET', '/users/cy%40acme.test/grants')).body.items).toEqual([])
  expect((await listed('?q=cy')).items).toEqual([])
})

it('accounts whose provider does not respond are deleted here, and reported', async () => {
  const dee = await connectPerson(edge, 'dee')
  await world.provider.fail('down')
  try {
    expect((await end(dee.user)).body).toMatchObject({
      accounts: 1,
      not_revoked: [{ provider: 'mail', account: '' }],
    })
  } finally {
    await world.provider.fail('none')
  }
  expect((await edge.ask('GET', '/users/dee%40acme.test/grants')).body.items).toEqual([])
})

it('only administrators can list users and end their access', async () => {
  const person = await signInPerson(url, 'bob')
  for (const [method, path] of [
    ['GET', '/users'],
    ['GET', '/users/bob%40acme.test/access'],
    ['DELETE', '/users/bob%40acme.test/access'],
  ] as const) {
    // A cookie is no credential here: only the console's own pages send the request for who is signed in
    expect((await person.send(method, url + path)).status).toBe(401)
    const anyUser = { authorization: `Bearer ${await edge.keyFor('any', ['tools:call', 'records:read'])}` }
    expect((await edge.ask(method, path, undefined, anyUser)).status).toBe(403)
    expect((await edge.ask(method, path, undefined, {})).status).toBe(401)
  }
  expect((await person.open(`${url}/sessions`)).status).toBe(200)
})

it('users are listed in pages, each once', async () => {
  await signInPerson(url, 'bob')
  const seen: string[] = []
  for (let query = '?limit=1'; ;) {
    const { items, next_cursor } = await listed(query)
    seen.push(...items.map((item: { user_id: string }) => item.user_id))
    if (next_cursor === undefined) break
    query = `?limit=1&cursor=${encodeURIComponent(next_cursor)}`
  }
  expect(seen).toEqual((await listed()).items.map((item: { user_id: string }) => item.user_id))
  expect(new Set(seen).size).toBe(seen.length)
  expect(await listed('?q=nobody')).toEqual({ items: [] })
})

it('a person ends all other sessions and keeps the current one, which the list marks', async () => {
  const [here, there, other] = [
    await signInPerson(url, 'bob'),
    await signInPerson(url, 'bob'),
    await signInPerson(url, 'ann'),
  ]
  const { items } = JSON.parse((await here.open(`${url}/sessions`)).text)
  expect(items.filter((session: { current?: true }) => session.current)).toHaveLength(1)
  expect((await here.send('DELETE', `${url}/sessions`)).status).toBe(204)
  expect((await here.open(`${url}/sessions`)).status).toBe(200)
  expect((await there.open(`${url}/sessions`)).status).toBe(401)
  expect((await other.open(`${url}/sessions`)).status).toBe(200)
  const ofAnn = (await edge.ask('GET', '/sessions?user_id=ann%40acme.test')).body.items
  expect(ofAnn.map(({ user_id }: { user_id: string }) => user_id)).toEqual(['ann@acme.test'])
  expect(JSON.parse((await here.open(`${url}/sessions?user_id=ann%40acme.test`)).text).items).toEqual([])
})

const asPerson = async (_: string, person: HttpPerson) => ({
  path: '/console/mcp',
  headers: { cookie: person.cookieOf(url) ?? '', origin: url },
})
const asAgent = async (_: string, person: HttpPerson) => {
  const { tokens } = await connected(person, url, ['mailbox'])
  return { path: '/connect/mcp', headers: { authorization: `Bearer ${tokens.access_token}` } }
}
const asProgram = async (sub: string) => {
  const claims = { iss: world.provider.issuer, sub, tools: ['mailbox.*'] }
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m')
  const signed = await token.sign(new TextEncoder().encode(JWT_SECRET))
  return { path: '/mcp', headers: { authorization: `Bearer ${signed}` } }
}

it('an approved task does not run after the directory deactivated its person', async () => {
  const approver = await signInPerson(url, 'hal')
  const answers: (() => Promise<unknown>)[] = []
  for (const [name, open, stays] of [
    ['eve', asPerson],
    ['fay', asAgent],
    ['gil', asProgram],
    ['bob', asProgram, 'active'],
  ] as const) {
    const user = `${name}@acme.test`
    const { path, headers } = await open(user, await signInPerson(url, name))
    const options = { capabilities: TAKES_TASKS, path: `${path}?toolkits=mailbox&names=bare`, headers }
    const { body } = await edge.ask('POST', '/scim/v2/Users', { userName: user })
    const setActive = (value: boolean) =>
      edge.ask('PATCH', `/scim/v2/Users/${body.id}`, patch({ op: 'replace', path: 'active', value }))
    const call = { name: 'empty', arguments: { folder: 'old' } }
    const { taskId } = (await sendMcp(edge.server, 'tools/call', call, options)).result
    const get = async () => sendMcp(edge.server, 'tasks/get', { taskId }, options)
    await expect.poll(get, { timeout: 10_000 }).toMatchObject({ result: { status: 'input_required' } })
    const { inputRequests } = (await get()).result
    const link = inputRequests['authorization:approval'].params.url
    expect((await approver.press(await approver.open(link), /Approve/)).status).toBe(200)
    if (stays === undefined) expect((await setActive(false)).status).toBe(200)
    answers.push(async () => {
      await setActive(true)
      const { error, result } = await get()
      return error?.code ?? result.status
    })
  }
  const countRuns = () => world.api.requests.filter(({ path }) => path === '/mailbox').length
  await expect.poll(countRuns, { timeout: 30_000 }).toBe(1)
  // None comes back with its person
  expect(await Promise.all(answers.map((answer) => answer()))).toEqual([401, 401, -32_602, 'completed'])
  expect(countRuns()).toBe(1)
}, 60_000)
