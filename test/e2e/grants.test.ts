import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { HttpPerson, type Visited } from './oauth/http-person.ts'
import { filesUnder, leaked } from './oauth/leaks.ts'
import { ADMIN_KEY, type Connected, connectTo, startWorld, varsOf, vaultKey, type World } from './oauth/switchboard.ts'
import { startServer } from './server.ts'

const VAULT_KEY = vaultKey()

let world: World
let edge: Connected
let users = 0
/** Texts of our pages and the provider's, which are searched for tokens. */
const pages: string[] = []

beforeAll(async () => {
  world = await startWorld()
  edge = await connectTo(world, await startServer({ vars: { ...varsOf(world), VAULT_KEYS: VAULT_KEY } }))
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))
afterEach(async () => {
  const { provider } = world
  await provider.fail('none')
  Object.assign(provider, { accessTokensEnd: false, rotate: false, pauseBeforeReturn: false, tokenDelayMs: 0 })
})

const newPerson = () => new HttpPerson(pages)
const newUser = () => `user-${++users}`
const get = (user: string) => edge.call('Mail.GetEmails', user)
const refreshes = () => world.provider.tokenRequests['refresh_token'] ?? 0
const grantsOf = async (user: string) => (await edge.ask('GET', `/users/${user}/grants`)).body.items

async function consent(user: string, account: string, who = newPerson()): Promise<Visited> {
  const { url } = await edge.challenge('Mail.GetEmails', user)
  const ended = await who.consent(url, account)
  expect(ended.url, ended.text).toContain('/oauth/callback')
  return ended
}

/** Creates a user whose access token has expired. */
async function userWithExpiredToken(account: string): Promise<string> {
  const user = newUser()
  world.provider.accessTokensEnd = true
  await consent(user, account)
  world.provider.accessTokensEnd = false
  return user
}

/** Finds the link on the page that replaces the provider's redirect. */
const linkIn = (text: string) => /id="back" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? ''

/** Changes the last character of a state. */
const swapLast = (back: URL) =>
  (back.searchParams.get('state') ?? '').replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

const succeeded = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })

it.each([
  ['', false],
  [', with rotation and reuse detection', true],
])('an expired access token is refreshed once for 50 calls at once%s', async (_, rotate) => {
  world.provider.rotate = rotate
  const user = await userWithExpiredToken('ann')
  const before = refreshes()
  world.provider.tokenDelayMs = 500
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(user)))
  for (const answer of answers) expect(answer).toMatchObject(succeeded('ann'))
  expect(refreshes() - before).toBe(1)
  // The grant still works, so the rotated token was stored
  world.provider.endAccessTokens('ann')
  expect(await get(user)).toMatchObject(succeeded('ann'))
  expect(refreshes() - before).toBe(2)
})

it('an access token is refreshed once before it expires, and not again while the new one is valid', async () => {
  const user = await userWithExpiredToken('ann')
  const before = refreshes()
  for (let call = 0; call < 3; call++) expect(await get(user)).toMatchObject(succeeded('ann'))
  expect(refreshes() - before).toBe(1)
})

it('an access token that the API refuses is refreshed once, and the call succeeds', async () => {
  const user = newUser()
  await consent(user, 'bea')
  expect(await get(user)).toMatchObject(succeeded('bea'))
  const before = refreshes()
  world.provider.endAccessTokens('bea')
  expect(await get(user)).toMatchObject(succeeded('bea'))
  expect(refreshes() - before).toBe(1)
})

it('an access token that the API refuses is refreshed once for 20 calls at once', async () => {
  world.provider.rotate = true
  const user = newUser()
  await consent(user, 'bea')
  world.provider.endAccessTokens('bea')
  const before = refreshes()
  world.provider.tokenDelayMs = 500
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(user)))
  for (const answer of answers) expect(answer).toMatchObject(succeeded('bea'))
  expect(refreshes() - before).toBe(1)
})

it('an access token whose grant was revoked at the provider: a new challenge has the reason, and a new consent restores access', async () => {
  const user = newUser()
  await consent(user, 'cleo')
  world.provider.endGrants('cleo')
  const { status, body } = await get(user)
  expect(status, JSON.stringify(body)).toBe(400)
  expect(body.missing_requirements.authorization).toMatchObject([{ id: 'mail', url: expect.any(String) }])
  expect(body.developer_message).toMatch(/no longer|revoked|refused/i)
  // An endless retry would be worse than a challenge
  const before = refreshes()
  expect((await get(user)).status).toBe(400)
  expect(refreshes()).toBe(before)
  await consent(user, 'cleo')
  expect(await get(user)).toMatchObject(succeeded('cleo'))
})

it.each(['down', 'error', 'nonsense', 'slow'] as const)(
  'a failing provider during a token refresh, %s: the failure can be retried, and the grant is kept',
  async (fault) => {
    const user = await userWithExpiredToken('dora')
    await world.provider.fail(fault)
    const { status, body } = await get(user)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.result).toMatchObject({ success: false, error: { can_retry: true } })
    expect(body.result.error.message).toMatch(/mail/i)
    expect(await grantsOf(user)).toMatchObject([{ provider: 'mail' }])
    await world.provider.fail('none')
    expect(await get(user)).toMatchObject(succeeded('dora'))
  },
)

it('a failing provider during a token refresh makes concurrent calls fail, and all succeed once it recovers', async () => {
  const user = await userWithExpiredToken('dora')
  await world.provider.fail('error')
  const failed = await Promise.all(Array.from({ length: 10 }, () => get(user)))
  for (const { body } of failed) expect(body.result).toMatchObject({ success: false, error: { can_retry: true } })
  await world.provider.fail('none')
  const answers = await Promise.all(Array.from({ length: 10 }, () => get(user)))
  for (const answer of answers) expect(answer).toMatchObject(succeeded('dora'))
})

it.each(['error', 'nonsense'] as const)(
  'a failing provider during consent, %s: the person is told, and nothing is granted',
  async (fault) => {
    const user = newUser()
    const { url } = await edge.challenge('Mail.GetEmails', user)
    const who = newPerson()
    world.provider.pauseBeforeReturn = true
    const done = await who.consent(url, 'eve')
    world.provider.pauseBeforeReturn = false
    await world.provider.fail(fault)
    const ended = await who.open(linkIn(done.text))
    expect(ended.status).toBe(502)
    expect(ended.text).toContain('<h1>Something went wrong</h1>')
    expect(ended.text).toMatch(/&#39;mail&#39; cannot be asked now: it answered \d+, which makes no sense/)
    await world.provider.fail('none')
    expect(await grantsOf(user)).toEqual([])
    await consent(user, 'eve')
    expect(await get(user)).toMatchObject(succeeded('eve'))
  },
)

/** Returns a person on the provider's last page, and the link back. */
async function halfway() {
  const user = newUser()
  const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
  const who = newPerson()
  world.provider.pauseBeforeReturn = true
  const { text } = await who.consent(url, 'joe')
  world.provider.pauseBeforeReturn = false
  return { user, url, check_url, who, back: new URL(linkIn(text)) }
}
const exchanges = () => world.provider.tokenRequests['authorization_code'] ?? 0

/** Opens a return link that must fail, and returns the page's status and title. */
async function refusal(who: HttpPerson, back: URL, user: string): Promise<string> {
  const before = exchanges()
  const { status, text } = await who.open(back.href)
  expect(exchanges()).toBe(before)
  expect(await grantsOf(user)).toEqual([])
  return `${status} ${/<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1]}`
}
const GONE = '410 This link no longer works'
const REFUSED = '400 Access was not granted'

it.each([
  ['with another state', GONE, (back: URL) => back.searchParams.set('state', 'A'.repeat(43))],
  ['with a state that is nearly right', GONE, (back: URL) => back.searchParams.set('state', swapLast(back))],
  ['without a state', '400 Not understood', (back: URL) => back.searchParams.delete('state')],
  ['with the state twice', GONE, (back: URL) => back.searchParams.append('state', 'x')],
  ['from another issuer', REFUSED, (back: URL) => back.searchParams.set('iss', 'https://accounts.example.com')],
  ['from no issuer, though the provider names itself', REFUSED, (back: URL) => back.searchParams.delete('iss')],
  ['without a code', REFUSED, (back: URL) => back.searchParams.delete('code')],
])('the redirect back from the provider is refused %s, and nothing is stored', async (_, why, change) => {
  const { user, back, who } = await halfway()
  change(back)
  expect(await refusal(who, back, user)).toBe(why)
  await edge.challenge('Mail.GetEmails', user)
})

it("the redirect back from the provider is refused with another person's code, which PKCE binds to another flow", async () => {
  const [mine, other] = [await halfway(), await halfway()]
  mine.back.searchParams.set('code', other.back.searchParams.get('code') ?? '')
  const { status } = await mine.who.open(mine.back.href)
  expect(status).toBe(400)
  expect(await grantsOf(mine.user)).toEqual([])
  expect(await grantsOf(other.user)).toEqual([])
})

it('a link that several callers received names each of them once', async () => {
  const user = newUser()
  const keyNamed = async (name: string) => {
    const given = { name, scopes: ['tools:call'], tools: ['Mail.*'], users: [user] }
    return `Bearer ${(await edge.ask('POST', '/keys', given)).body.key}`
  }
  const call = (authorization: string) =>
    edge.ask('POST', '/tools/call', { tool_id: 'Mail.GetEmails', context: { user_id: user } }, { authorization })
  const [one, other] = [await keyNamed('My Agent'), await keyNamed('the agent of ann')]
  const links = []
  for (const key of [`Bearer ${ADMIN_KEY}`, one, other, one])
    links.push((await call(key)).body.missing_requirements.authorization[0].url)
  expect(new Set(links).size).toBe(1)
  expect((await newPerson().open(links[0])).text).toContain('<dd>“My Agent”, “the agent of ann”</dd>')
})

const rescoped = async (url: string, account: string, who: HttpPerson) => (await who.consent(url, account)).status

it('the scopes of a grant grow: a new request includes the scopes granted before', async () => {
  const user = newUser()
  const who = newPerson()
  await consent(user, 'mia', who)
  const more = await edge.challenge('Mail.Send', user)
  expect((await edge.ask('GET', more.check_url)).body.scopes.toSorted()).toEqual(
    expect.arrayContaining(['mail.read', 'mail.send']),
  )
  expect(await rescoped(more.url, 'mia', who)).toBe(200)
  for (const tool of ['Mail.GetEmails', 'Mail.Send']) {
    expect((await edge.call(tool, user)).body.result).toMatchObject({ success: true })
  }
})

it('the scopes of a grant that a person left out are requested again, with the reason', async () => {
  const user = newUser()
  const who = newPerson()
  await consent(user, 'mia', who)
  const { url, check_url } = await edge.challenge('Mail.Send', user)
  const asked = await who.press(await who.open(url), /continue/i)
  const unticked = { ...asked, text: asked.text.replace(/(value="mail\.send") checked/, '$1') }
  expect((await who.answerProvider(unticked, 'mia')).text).toContain('mail.send')
  expect(await edge.settled(check_url)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('mail.send'),
  })
  const { status, body } = await edge.call('Mail.Send', user)
  expect(status).toBe(400)
  expect(body.developer_message).toContain('mail.send')
  expect(body.missing_requirements.authorization[0].url).not.toBe(url)
  expect(await get(user)).toMatchObject(succeeded('mia'))
})

const LINK = /https?:\/\/[^\s"]+\/authorizations\/[^\s"]+\/start/

it('clients that cannot open a page get a working link as text over MCP, Machine Context and the plugin schema', async () => {
  const user = newUser()
  const headers = { 'authorization': `Bearer ${await edge.keyFor([user])}`, 'x-user-id': user }
  const params = { name: 'Mail_GetEmails', arguments: {} }
  const overMcp = () =>
    edge.ask(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      {
        ...headers,
        'accept': 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
    )
  const header = {
    version: '1.0',
    messageId: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    messageType: 'request',
    source: 'client',
    destination: 'server',
  }
  const executed = await edge.ask('POST', '/machine-context/execute', {
    header,
    payload: { tool: { id: 'Mail', capability: 'GetEmails', parameters: {} }, context: { user: { id: user } } },
  })
  expect(executed.body.payload.execution.error).toMatchObject({ code: 'SECURITY_ERROR' })
  expect(JSON.stringify(executed.body.payload.execution.error.details)).toMatch(LINK)
  const plugged = await edge.ask('POST', '/plugin/call', { params }, headers)
  expect(plugged.body).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(LINK) }] })

  const asked = (await overMcp()).body.result
  expect(asked).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(LINK) }] })
  expect((await newPerson().consent(LINK.exec(asked.content[0].text)![0], 'nia')).status).toBe(200)
  expect((await overMcp()).body.result).toMatchObject({ structuredContent: { account: 'nia' } })
  expect((await edge.ask('POST', '/plugin/call', { params }, headers)).body.isError).toBeFalsy()
})

it('a grant that the user revokes is also revoked at the provider, and the next call is challenged', async () => {
  const user = newUser()
  await consent(user, 'fay')
  expect(await get(user)).toMatchObject(succeeded('fay'))
  const { length } = world.provider.revoked
  const answer = await edge.ask('DELETE', `/users/${user}/grants/mail`)
  expect(answer.status).toBe(204)
  const tokens = new Set(world.provider.issued.filter(({ account }) => account === 'fay').map(({ token }) => token))
  expect(world.provider.revoked.length).toBeGreaterThan(length)
  for (const token of world.provider.revoked.slice(length)) expect(tokens).toContain(token)
  for (const { kind, token } of world.provider.issued.filter(({ account }) => account === 'fay')) {
    if (kind === 'access') expect(await world.provider.whose(token)).toBeUndefined()
  }
  await edge.challenge('Mail.GetEmails', user)
  expect(await grantsOf(user)).toEqual([])
  expect((await edge.ask('DELETE', `/users/${user}/grants/mail`)).status).toBe(404)
})

it('a grant that the user revokes is deleted here even if the provider is unreachable', async () => {
  const user = newUser()
  await consent(user, 'fay')
  await world.provider.fail('down')
  expect((await edge.ask('DELETE', `/users/${user}/grants`)).status).toBe(204)
  await edge.challenge('Mail.GetEmails', user)
})

it("two users of one tool never get each other's token, whatever they and the provider do concurrently", async () => {
  const acts = ['call', 'calls', 'consent', 'revoke', 'token ends', 'grant ends'] as const
  const weighted = fc.oneof(
    { weight: 3, arbitrary: fc.constant<(typeof acts)[number]>('calls') },
    { weight: 3, arbitrary: fc.constant<(typeof acts)[number]>('consent') },
    { weight: 4, arbitrary: fc.constantFrom(...acts) },
  )
  let successes = 0
  const rounds = fc.array(fc.tuple(weighted, weighted), { minLength: 3, maxLength: 7 })
  const property = fc.asyncProperty(rounds, fc.boolean(), async (all, rotate) => {
    world.provider.rotate = rotate
    const both = ['gus', 'hal'].map((account) => ({
      account,
      user: newUser(),
      who: newPerson(),
      granted: false,
    }))
    const act = async (one: (typeof both)[number], does: (typeof acts)[number]): Promise<void> => {
      const { account, user, who } = one
      switch (does) {
        case 'call':
        case 'calls':
          for (const answer of await Promise.all(Array.from({ length: does === 'call' ? 1 : 4 }, () => get(user)))) {
            if (one.granted) expect(answer, JSON.stringify(answer.body)).toMatchObject(succeeded(account))
            else expect(answer).toMatchObject({ status: 400, body: { missing_requirements: { authorization: [{}] } } })
            successes += answer.status === 200 ? 1 : 0
          }
          return
        case 'consent':
          if (one.granted) return
          await consent(user, account, who)
          one.granted = true
          return
        case 'revoke':
          await edge.ask('DELETE', `/users/${user}/grants/mail`)
          one.granted = false
          return
        case 'token ends':
          return world.provider.endAccessTokens(account)
        case 'grant ends':
          world.provider.endGrants(account)
          one.granted = false
      }
    }
    for (const round of all) await Promise.all(both.map((one, index) => act(one, round[index]!)))
    await Promise.all(both.map((one) => act(one, 'calls')))
  })
  await fc.assert(property, { numRuns: 8 })
  expect(successes).toBeGreaterThan(20)
  // The API reports the account of the token
  expect(new Set(world.api.requests.map(({ account }) => account))).toContain('gus')
})

it('a key works only for its users: another user gets 403, for calls, grants and authorizations', async () => {
  const [mine, other] = [newUser(), newUser()]
  await consent(other, 'ivo')
  const headers = { authorization: `Bearer ${await edge.keyFor([mine])}` }
  const { check_url } = await edge.challenge('Mail.GetEmails', newUser())
  for (const [method, path, body] of [
    ['POST', '/tools/call', { tool_id: 'Mail.GetEmails', input: {}, context: { user_id: other } }],
    ['GET', `/users/${other}/grants`, undefined],
    ['DELETE', `/users/${other}/grants/mail`, undefined],
  ] as const) {
    expect((await edge.ask(method, path, body, headers)).status, path).toBe(403)
  }
  expect([403, 404]).toContain((await edge.ask('GET', check_url, undefined, headers)).status)
  expect(await get(other)).toMatchObject(succeeded('ivo'))
})

it('a token that the caller sends is used for that call, and never stored', async () => {
  const user = newUser()
  await consent(user, 'kim')
  const token = world.provider.issued.findLast(({ kind, account }) => kind === 'access' && account === 'kim')!.token
  const guest = newUser()
  const context = { authorization: [{ id: 'mail', token }] }
  expect(await edge.call('Mail.GetEmails', guest, { context })).toMatchObject(succeeded('kim'))
  expect(await grantsOf(guest)).toEqual([])
  await edge.challenge('Mail.GetEmails', guest)
})

it('a token that the caller sends is not refreshed or replaced by a grant if the API refuses it', async () => {
  const user = newUser()
  await consent(user, 'kim')
  const before = refreshes()
  const context = { authorization: [{ id: 'mail', token: 'a-token-that-is-none' }] }
  const { body } = await edge.call('Mail.GetEmails', user, { context })
  expect(body.result).toMatchObject({ success: false })
  expect(refreshes()).toBe(before)
})

it('a token is redacted if an API returns it', async () => {
  const user = newUser()
  await consent(user, 'lea')
  const { body } = await edge.call('Mail.Echo', user)
  expect(body.result).toMatchObject({
    success: true,
    value: { you: 'lea', sent: '[redacted]', encoded: expect.stringMatching(/^\[redacted\]=*$/) },
  })
})

// Runs last, because the storage can only be searched once nothing writes there
it('a token is in nothing that is stored, logged or returned, in any encoding', async () => {
  const canary = `a-canary-${vaultKey()}`
  const definition = { id: 'Mail.Canary@1.0.0', name: 'Mail_Canary', description: canary, version: '1.0.0' }
  await edge.ask('POST', '/tools', { definition: { ...definition, input_schema: {}, output_schema: null } })
  const user = newUser()
  await consent(user, 'ona')
  world.provider.endAccessTokens('ona')
  for (const tool of ['Mail.GetEmails', 'Mail.Echo']) expect((await edge.call(tool, user)).status).toBe(200)
  const tokens = world.provider.issued.map(({ token }) => token)
  expect(world.api.requests.filter(({ token }) => token === tokens.at(-1))).not.toEqual([])

  const secrets = [...new Set(tokens), world.provider.clientSecret, VAULT_KEY, ADMIN_KEY]
  const said = [...edge.said, ...pages, edge.server.printed()].join('\n')
  expect(leaked(said, secrets)).toEqual([])
  await edge.server.stop({ keep: true })
  const files = filesUnder(edge.server.persistTo)
  for (const { path, bytes } of files) expect(leaked(bytes, secrets), path).toEqual([])
  // The searches do find existing texts
  expect(leaked(said, [user])).toEqual([user])
  expect(files.flatMap(({ bytes }) => leaked(bytes, [canary]))).toContain(canary)
  expect(leaked(`…${Buffer.from(`?${canary}!`).toString('base64')}…`, [canary])).toEqual([canary])
})
