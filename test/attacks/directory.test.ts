import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, connected, decide, newAgent, redeem, refresh, rpc } from '../e2e/oauth/agent.ts'
import { signInPerson } from '../e2e/oauth/connected-person.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { answerSignIn, signIn, signInVars } from '../e2e/oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from '../e2e/oauth/switchboard.ts'
import { patch } from '../e2e/scim/set-up.ts'
import { neverSilent, watched } from './watch.ts'

/** A hostile or broken directory, and people whom it deactivates while they act. */

const RULES = [
  { domain: 'acme.test', toolkits: ['Mail', 'Calculator'] },
  { group: 'Admins', scopes: ['admin'] },
]
const ROUNDS = [0, 1, 2, 4, 7, 11, 16, 22]

let world: World
let edge: Connected
let url: string
let scimKey: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await startWorld()
  edge = await connect(world, { vars: signInVars(world.provider, RULES) })
  watched(edge.server)
  ;({ url } = edge.server)
  world.provider.allowRedirectTo(`${url}/sign-in/callback`)
  const key = await edge.ask('POST', '/keys', { name: 'the directory', scopes: ['scim'] })
  scimKey = { authorization: `Bearer ${key.body.key}` }
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))
afterAll(neverSilent)

const scim = (method: string, path: string, body?: unknown) => edge.ask(method, `/scim/v2${path}`, body, scimKey)
const setActive = (id: string, active: boolean) =>
  scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: active }))

/** Creates a user in the directory and at the provider. */
async function hired(name: string) {
  world.provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  const { body, status } = await scim('POST', '/Users', { userName: `${name}@acme.test` })
  expect(status, JSON.stringify(body)).toBe(201)
  return { user: `${name}@acme.test`, id: String(body.id) }
}

const sessionStatus = async (person: HttpPerson) => (await person.open(`${url}/sessions`)).status
const access = async (user: string) => (await edge.ask('GET', `/users/${encodeURIComponent(user)}/access`)).body

describe("a directory's key", () => {
  it("a directory's key gains no rights through the groups that it creates, whatever names it gives its users", async () => {
    const { body: keys } = await edge.ask('GET', '/keys')
    const own = keys.items.find(({ name }: { name: string }) => name === 'the directory')
    const names = [own.id, `key:${own.id}`, 'admin', 'open', 'the directory', '*', 'any']
    const users = await Promise.all(names.map((userName) => scim('POST', '/Users', { userName, externalId: userName })))
    const members = users.map(({ body }) => ({ value: body.id }))
    expect((await scim('POST', '/Groups', { displayName: 'Admins', members })).status).toBe(201)
    for (const path of ['/keys', '/audit', '/users', '/tools', '/providers'])
      expect((await edge.ask('GET', path, undefined, scimKey)).status, path).toBe(403)
    for (const { body } of users) await setActive(body.id, false)
    expect((await scim('GET', '/Users')).status).toBe(200)
    expect((await edge.ask('GET', '/keys')).status).toBe(200)
  })

  it.each([
    ['letters of another script', '\uff41nna@acme.test'],
    ['a letter that becomes ASCII in lower case', 'an\u212Aa@acme.test'],
    ['a space after it', 'anna@acme.test '],
    ['a letter that nobody sees', 'anna\u200b@acme.test'],
    ['an issuer before it', 'https://evil.test|anna@acme.test'],
    ['half a character', 'anna@acme.test\ud800'],
  ])("a directory's key cannot affect a person through an address with %s", async (_, userName) => {
    world.provider.claims['anna'] = { email: 'anna@acme.test', email_verified: true }
    const anna = await signInPerson(url, 'anna')
    const { body, status } = await scim('POST', '/Users', { userName, externalId: userName, active: false })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(await sessionStatus(anna)).toBe(200)
    expect((await scim('DELETE', `/Users/${body.id}`)).status).toBe(204)
    expect(await sessionStatus(anna)).toBe(200)
  })

  it("a directory's key cannot let a person in through a second entry while another entry is inactive", async () => {
    const { id, user } = await hired('bea')
    const bea = await signInPerson(url, 'bea')
    const second = await scim('POST', '/Users', { userName: 'second', externalId: user, active: false })
    expect(second.status).toBe(201)
    expect(await sessionStatus(bea)).toBe(401)
    await setActive(id, true)
    expect((await signIn(new HttpPerson(), url, 'bea')).status).toBe(403)
    expect((await scim('POST', '/Users', { userName: 'BEA@acme.test' })).status).toBe(409)
  })

  it("a directory's key cannot block other requests with a PATCH of many paths", async () => {
    const { body: group } = await scim('POST', '/Groups', { displayName: 'Many' })
    const paths = Array.from({ length: 30_000 }, (_, index) => [`members[value eq "${index}"]`, {}])
    const whole = [{ op: 'add', value: Object.fromEntries(paths) }]
    const split = Array.from({ length: 100 }, (_, index) => ({
      op: 'add',
      value: Object.fromEntries(paths.slice(index * 300, index * 300 + 300)),
    }))
    for (const operations of [whole, split]) {
      const { status, body } = await scim('PATCH', `/Groups/${group.id}`, patch(...operations))
      expect([status, body.detail]).toEqual([400, expect.stringContaining('at most 1,000 attributes')])
    }
  })

  it("a directory's key changes nothing with values that are deeply nested, inherited or of the wrong type", async () => {
    const { id } = await hired('cleo')
    const before = (await scim('GET', `/Users/${id}`)).body
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const send = (body: string) =>
      fetch(`${url}/scim/v2/Users/${id}`, {
        method: 'PATCH',
        headers: { ...scimKey, 'content-type': 'application/scim+json' },
        body,
      })
    for (const operation of [
      `{"op":"add","path":"emails","value":${deep}}`,
      `{"op":"add","value":{"__proto__":{"active":false}}}`,
      `{"op":"add","path":"__proto__","value":{"active":false}}`,
      `{"op":"add","path":"__proto__.active","value":false}`,
      `{"op":"replace","path":"constructor.prototype","value":{"active":false}}`,
      `{"op":"replace","path":"emails[__proto__ eq \\"x\\"].value","value":"x"}`,
      `{"op":"replace","path":"id","value":"x"}`,
      `{"op":"remove","path":"id"}`,
      `{"op":"replace","path":"userName","value":["a"]}`,
      `{"op":"remove","path":"userName"}`,
      `{"op":"replace","path":"active","value":{}}`,
      `{"op":"add","path":"members","value":[{"value":"${id}"}]}`,
    ]) {
      const { status } = await send(`{"Operations":[${operation}]}`)
      expect([200, 400], operation.slice(0, 80)).toContain(status)
    }
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(before)
  })
})

describe('a person who is deactivated during an action', () => {
  /** Deactivates a user `after` milliseconds into an action, and then reactivates them. */
  async function leaveAndReturn(id: string, after: number, act: () => Promise<unknown>): Promise<void> {
    const acting = act().catch(() => undefined)
    await setTimeout(after)
    expect((await setActive(id, false)).status).toBe(200)
    await acting
    expect((await setActive(id, true)).status).toBe(200)
  }

  /** Waits until Switchboard requests tokens from the provider. */
  const asksForTokens = () =>
    new Promise<void>((resolve) => {
      world.provider.onTokenRequest = resolve
    })

  it('a person who is deactivated during sign-in has no session afterward, even once reactivated', async () => {
    const { id, user } = await hired('dora')
    for (const after of ROUNDS) {
      const dora = new HttpPerson()
      const form = await dora.open(`${url}/sign-in`)
      const [tokensAsked, signingIn] = [asksForTokens(), answerSignIn(dora, form, 'dora')]
      // The last request of the sign-in: its results are stored within the next milliseconds
      await tokensAsked
      await leaveAndReturn(id, after, () => signingIn)
      const { items } = (await edge.ask('GET', `/sessions?user_id=${encodeURIComponent(user)}`)).body
      expect(items, `${after} ms`).toEqual([])
      expect(await sessionStatus(dora)).toBe(401)
    }
  })

  it('a person who is deactivated while the consent page is open cannot connect an agent', async () => {
    const { id, user } = await hired('elsa')
    const elsa = await signInPerson(url, 'elsa')
    const agent = await newAgent(url)
    const to = authorizeUrl(agent)
    expect((await elsa.open(to)).status).toBe(200)
    await setActive(id, false)
    const allowed = await decide(elsa, to, { 'toolkit.Calculator': '1', 'days': '30', 'decision': 'allow' })
    expect([allowed.status, allowed.location]).toEqual([403, undefined])
    await setActive(id, true)
    expect(await access(user)).toMatchObject({ agents: [], accounts: [] })
  })

  it('a person who is deactivated while they allow an agent has no working agent, even once reactivated', async () => {
    const { id } = await hired('frida')
    for (const after of ROUNDS) {
      const frida = await signInPerson(url, 'frida')
      const agent = await newAgent(url)
      let code: string | null | undefined
      await leaveAndReturn(id, after, async () => {
        const fields = { 'toolkit.Calculator': '1', 'days': '30', 'decision': 'allow' }
        code = (await decide(frida, authorizeUrl(agent), fields)).location?.searchParams.get('code')
      })
      if (typeof code === 'string') expect((await redeem(agent, code)).status, `${after} ms`).toBe(400)
    }
  })

  it('a person who is deactivated while an agent refreshes its token leaves the agent no working token', async () => {
    const { id } = await hired('gerda')
    for (const after of ROUNDS) {
      const { agent, tokens } = await connected(await signInPerson(url, 'gerda'), url, ['Calculator'])
      let fresh: { access_token?: string; refresh_token?: string } = {}
      await leaveAndReturn(id, after, async () => {
        fresh = await (await refresh(agent, tokens.refresh_token)).json()
      })
      for (const token of [tokens.access_token, fresh.access_token ?? 'none'])
        expect((await rpc(url, token, 'tools/list')).status, `${after} ms`).toBe(401)
      expect((await refresh(agent, fresh.refresh_token ?? tokens.refresh_token)).status).toBe(400)
    }
  })

  it('a person who is deactivated while the provider issues tokens connects no account', async () => {
    const { id, user } = await hired('hilda')
    const hilda = await signInPerson(url, 'hilda')
    const link = (await edge.challenge('Mail.GetEmails', user)).url
    world.provider.tokenDelayMs = 500
    const [tokensAsked, consenting] = [asksForTokens(), hilda.consent(link, 'hilda')]
    await tokensAsked
    await leaveAndReturn(id, 0, () => consenting)
    world.provider.tokenDelayMs = 0
    expect((await consenting).text).toContain('expired')
    expect(await access(user)).toMatchObject({ accounts: [] })
    expect((await edge.call('Mail.GetEmails', user)).status).toBe(400)
  })

  it('a person who is deactivated while a call waits cannot approve it, and it does not run once they are reactivated', async () => {
    const { id, user } = await hired('ida')
    const ida = await signInPerson(url, 'ida')
    await ida.consent((await edge.challenge('Mail.GetEmails', user)).url, 'ida')
    const { url: link, check_url } = await edge.challenge('mailbox.empty', user, { folder: 'old' })
    const open = await ida.open(link)
    expect(open.text).toContain('Approve')
    await setActive(id, false)
    const pressed = await ida.press(open, /Approve/)
    expect(pressed.text).not.toMatch(/Approved/)
    await setActive(id, true)
    expect((await edge.ask('GET', check_url)).body).toMatchObject({ status: 'failed' })
    expect((await edge.call('mailbox.empty', user, { input: { folder: 'old' } })).status).toBe(400)
  })

  it('a person who is deactivated cannot use links that calls create for them meanwhile', async () => {
    const { id, user } = await hired('jana')
    const jana = await signInPerson(url, 'jana')
    await setActive(id, false)
    const link = (await edge.challenge('Mail.GetEmails', user)).url
    const page = await jana.open(link)
    expect(page.text).toContain('Sign in')
    const { status } = await decide(jana, link, { decision: 'continue' }, { origin: url })
    expect(status).not.toBe(302)
    await setActive(id, true)
    expect(await access(user)).toMatchObject({ accounts: [], agents: [] })
  })
})
