import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson, type Visited } from '../e2e/oauth/http-person.ts'
import { type Connected, connect, startWorld, type World } from '../e2e/oauth/switchboard.ts'
import { connectVerified, type Verifier } from '../e2e/oauth/verifier.ts'
import { neverSilent, watched } from './watch.ts'

/** An approval sent again: by the same browser or another, after it was used, and many times at once. */
const AT_ONCE = 20
const APPROVED = 'mailbox.empty'
const INPUT = { folder: 'inbox' }

let world: World
let app: Verifier
let edge: Connected
let plain: Connected
let users = 0

beforeAll(async () => {
  world = await startWorld()
  const verified = await connectVerified(world)
  app = verified.app
  edge = verified.edge
  plain = await connect(world)
  watched(edge.server)
  watched(plain.server)
})
afterAll(() => Promise.all([edge?.server.stop(), plain?.server.stop(), world?.close(), app?.close()]))
afterAll(neverSilent)

const newUser = () => `user-${++users}`
const manyTimes = <T>(work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)))
const countOf = (of: readonly Visited[], words: string) => of.filter(({ text }) => text.includes(words)).length

const emptied = () => world.api.requests.filter(({ path }) => path === '/mailbox').length
const call = (user: string, tool = APPROVED) => edge.call(tool, user, { input: INPUT })
const sendForm = (who: HttpPerson, url: string) => who.post(url, { decision: 'approve' }, { origin: edge.server.url })

/** Returns a link's person, confirmed by the application in their browser, before they decide. */
async function identified(url: string): Promise<HttpPerson> {
  const who = new HttpPerson()
  expect((await who.press(await who.open(url), /approve/i)).text).toContain('Approve this call?')
  return who
}

async function expectAskedAnew(user: string, url: string): Promise<void> {
  const before = emptied()
  expect((await edge.challenge(APPROVED, user, INPUT)).url).not.toBe(url)
  expect(emptied()).toBe(before)
}

it('an approval allows one call, however often its form is sent before and after it', async () => {
  const user = newUser()
  const { url } = await edge.challenge(APPROVED, user, INPUT)
  const who = await identified(url)
  const before = emptied()
  expect((await sendForm(who, url)).text).toContain('You approved')
  await sendForm(who, url)
  expect((await call(user)).body.result).toMatchObject({ success: true })
  for (const again of [who, who.copy(), new HttpPerson()]) {
    expect((await sendForm(again, url)).text).not.toContain('You approved')
    expect((await again.open(url)).text).not.toContain('<form')
    await expectAskedAnew(user, url)
  }
  expect(emptied()).toBe(before + 1)
})

it('an approval allows one call, even if its form and the call are sent 20 times at once', async () => {
  const user = newUser()
  const { url } = await edge.challenge(APPROVED, user, INPUT)
  const who = await identified(url)
  const before = emptied()
  const [, calls] = await Promise.all([manyTimes(() => sendForm(who.copy(), url)), manyTimes(() => call(user))])
  const later = await manyTimes(() => call(user))
  expect([...calls, ...later].filter(({ status }) => status === 200)).toHaveLength(1)
  expect(emptied()).toBe(before + 1)
  await manyTimes(() => sendForm(who.copy(), url))
  await expectAskedAnew(user, url)
})

it('an approval cannot be given with the return link of another person, nor with a return link twice', async () => {
  const user = newUser()
  const { url, check_url } = await edge.challenge(APPROVED, user, INPUT)
  const { pathname } = new URL(url)
  await identified(url)
  const { authorization, flow, reply } = app.visits.at(-1) ?? {}
  const proven = String(reply?.body.next)
  // With the link from the person's browser, and by repeating the application's confirmation
  const thief = new HttpPerson()
  await thief.submit(url, { decision: 'approve' }, { origin: edge.server.url })
  for (const way of [proven, `${proven}&`, proven.replace(/\/authorizations\/[^/]+/, pathname.replace('/start', ''))]) {
    expect([403, 404, 409, 410]).toContain((await thief.open(way)).status)
  }
  const again = await edge.ask('POST', `/authorizations/${authorization}/confirm`, { flow, user_id: user })
  expect([404, 409]).toContain(again.status)
  // Another person, whom the application identifies as such
  app.findSession = 'mallory'
  expect((await sendForm(thief, url)).text).not.toContain('You approved')
  app.findSession = undefined
  expect((await edge.ask('GET', check_url)).body.status).toBe('pending')
  await expectNotRun(user)
})

it('an approval cannot be given with the cookie or proof of another link', async () => {
  const [ann, bob] = [newUser(), newUser()]
  const [hers, his] = [await edge.challenge(APPROVED, ann, INPUT), await edge.challenge(APPROVED, bob, INPUT)]
  const who = await identified(hers.url)
  const proof = new URL(String(app.visits.at(-1)?.reply?.body.next)).search
  app.confirms = false
  expect((await sendForm(who, his.url)).text).not.toContain('You approved')
  expect((await who.open(his.url.replace('/start', `/resume${proof}`))).text).not.toContain('Approve this call?')
  expect((await sendForm(who, his.url)).text).not.toContain('You approved')
  app.confirms = true
  await expectNotRun(bob)
})

it('an approval for one version does not allow a later one, however the tool is named', async () => {
  const user = newUser()
  const { url } = await edge.challenge(APPROVED, user, INPUT)
  const who = await identified(url)
  const { body: document } = await edge.ask('GET', `/tools/${APPROVED}?format=machine-context`)
  const published = await edge.ask('POST', '/tools', {
    definition: { ...document, version: '1.1.0', description: 'Looks after another mailbox' },
    implementation: {
      kind: 'http',
      method: 'DELETE',
      url: `${world.api.origin}/mailbox?version=1.1.0`,
      response: { type: 'json' },
    },
  })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  expect((await sendForm(who, url)).text).toContain('You approved')
  const before = emptied()
  for (const tool of [APPROVED, `${APPROVED}@1.1.0`, `${APPROVED}@^1`])
    expect([tool, (await call(user, tool)).status]).toEqual([tool, 400])
  expect(emptied()).toBe(before)
  expect((await call(user, `${APPROVED}@1.0.0`)).body.result).toMatchObject({ success: true })
  expect((await call(user, `${APPROVED}@1.0.0`)).status).toBe(400)
  expect(emptied()).toBe(before + 1)
})

it('an approval that a person refused cannot be given by a form opened before', async () => {
  const user = newUser()
  const { url } = await edge.challenge(APPROVED, user, INPUT)
  const who = await identified(url)
  await who.post(url, { decision: 'refuse' }, { origin: edge.server.url })
  expect(countOf(await manyTimes(() => sendForm(who.copy(), url)), 'You approved')).toBe(0)
  await expectNotRun(user)
})

async function expectNotRun(user: string): Promise<void> {
  const before = emptied()
  expect((await call(user)).status).toBe(400)
  expect(emptied()).toBe(before)
}

const exchanges = () => world.provider.tokenRequests['authorization_code'] ?? 0
const grantsOf = async (user: string) => (await plain.ask('GET', `/users/${user}/grants`)).body.items

/** Returns a person who has consented at the provider, and the return link, which the browser has not opened. */
async function halfway(account = newUser()) {
  const user = newUser()
  const { url } = await plain.challenge('Mail.GetEmails', user)
  const who = new HttpPerson()
  world.provider.pauseBeforeReturn = true
  const { text } = await who.consent(url, account)
  world.provider.pauseBeforeReturn = false
  const [, href = ''] = /id="back" href="([^"]+)"/.exec(text) ?? []
  return { user, url, who, back: decoded(href) }
}
const decoded = (href: string) => href.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
const mixed = (way: string, change: Readonly<Record<string, string | null>>) => {
  const url = new URL(way)
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value ?? '')
  return url.href
}
const partOf = (way: string, name: string) => new URL(way).searchParams.get(name)

it('a provider’s response is used once, even if it arrives 20 times at once', async () => {
  const { user, who, back } = await halfway()
  const before = exchanges()
  const pages = await manyTimes(() => who.copy().open(back))
  expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(exchanges()).toBe(before + 1)
  expect(await grantsOf(user)).toHaveLength(1)
  expect((await plain.call('Mail.GetEmails', user)).body.result).toMatchObject({ success: true })
})

it('a provider’s response cannot be used again, nor after its grant was revoked', async () => {
  const { user, url, who, back } = await halfway()
  const early = who.copy()
  expect((await who.open(back)).status).toBe(200)
  const before = exchanges()
  expect((await plain.ask('DELETE', `/users/${user}/grants/mail`)).status).toBe(204)
  for (const each of [who, early, new HttpPerson()]) expect((await each.open(back)).status).toBe(410)
  // The link that led there no longer works
  const posted = await early.submit(url, {}, { origin: plain.server.url })
  expect(posted.headers.get('location')).toBe(null)
  expect([exchanges(), await grantsOf(user)]).toEqual([before, []])
})

it('a provider’s response cannot be used after the person started again, or refused', async () => {
  const { user, url, who, back } = await halfway()
  await who.submit(url, {}, { origin: plain.server.url })
  const before = exchanges()
  expect((await who.open(back)).status).toBe(410)
  const refused = await halfway()
  await refused.who.post(refused.url, { decision: 'refuse' }, { origin: plain.server.url })
  expect((await refused.who.open(refused.back)).status).toBe(410)
  expect([exchanges(), await grantsOf(user), await grantsOf(refused.user)]).toEqual([before, [], []])
})

it('a provider’s response grants nothing in another browser’s flow, whether or not its code was used', async () => {
  const [victim, thief, used] = [await halfway(), await halfway(), await halfway()]
  expect((await used.who.open(used.back)).status).toBe(200)
  expect((await used.who.open(mixed(victim.back, { code: partOf(used.back, 'code') }))).status).toBe(403)
  // In the thief's own flow, the provider refuses the code: PKCE (RFC 7636) and single use
  const stolen = await thief.who.open(mixed(thief.back, { code: partOf(victim.back, 'code') }))
  expect(stolen.status).toBe(400)
  const replaying = await halfway()
  expect((await replaying.who.open(mixed(replaying.back, { code: partOf(used.back, 'code') }))).status).toBe(400)
  for (const { user } of [victim, thief, replaying]) expect(await grantsOf(user)).toEqual([])
})

it('a provider’s response is refused in another provider’s flow, whichever parts are swapped', async () => {
  const other = await startWorld()
  const both = await connect(world, {
    vars: {
      ALLOW_HTTP_HOSTS: [world.provider.host, world.api.host, other.provider.host].join(),
      OTHER_SECRET: other.provider.clientSecret,
    },
  })
  try {
    const found = (await both.ask('GET', '/providers/mail')).body
    const put = await both.ask('PUT', '/providers/other', {
      name: 'Other',
      issuer: other.provider.issuer,
      client_id: found.client_id,
      client_secret_name: 'OTHER_SECRET',
    })
    expect([200, 201], JSON.stringify(put.body)).toContain(put.status)
    const user = newUser()
    const who = new HttpPerson()
    const { url } = await both.challenge('Mail.GetEmails', user)
    world.provider.pauseBeforeReturn = true
    const { text } = await who.consent(url, user)
    world.provider.pauseBeforeReturn = false
    const back = decoded(/id="back" href="([^"]+)"/.exec(text)?.[1] ?? '')
    const asked = () => Object.values({ ...world.provider.tokenRequests, ...other.provider.tokenRequests })
    const before = asked()
    const page = await who.open(mixed(back, { iss: other.provider.issuer }))
    expect(page.status).toBe(400)
    // And the return link is used up
    expect((await who.open(back)).status).toBe(410)
    expect(asked()).toEqual(before)
    expect((await both.ask('GET', `/users/${user}/grants`)).body.items).toEqual([])
  } finally {
    await Promise.all([both.server.stop(), other.close()])
  }
})
