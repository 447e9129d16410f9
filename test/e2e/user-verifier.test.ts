import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerProvider, launchBrowser, NO_BROWSER, openAndContinue, person } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type Connected, startWorld, type World } from './oauth/switchboard.ts'
import { connectVerified, type Verifier } from './oauth/verifier.ts'

let world: World
let edge: Connected
let app: Verifier
let browser: Browser | undefined
let users = 0

beforeAll(async () => {
  world = await startWorld()
  const verified = await connectVerified(world)
  app = verified.app
  edge = verified.edge
})
afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close(), app?.close()]))

const newUser = () => `user-${++users}`
const opened = () => world.provider.opened.length
const get = (user: string) => edge.call('Mail.GetEmails', user)
const succeeded = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })

/** Somebody presses the button of a challenge's page, in a browser of their own. */
async function begin(url: string) {
  const who = new HttpPerson()
  const ended = await who.press(await who.open(url), /continue|approve/i)
  return { who, ended, visit: app.visits.at(-1)! }
}

it.skipIf(NO_BROWSER !== '')(
  `with USER_VERIFIER_URL, the user continues to the provider, in Chromium ${NO_BROWSER}`,
  async () => {
    browser = await launchBrowser()
    const user = newUser()
    const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
    app.findSession = user
    const who = await person(browser)
    await openAndContinue(who, url)
    await answerProvider(who, 'ann')
    await who.page.waitForURL(/\/oauth\/callback/)
    expect(await edge.settled(check_url)).toMatchObject({ status: 'completed' })
    expect(await get(user)).toMatchObject(succeeded('ann'))
    await who.leave()
  },
)

it('with USER_VERIFIER_URL, another person cannot continue: the provider is not opened, and nothing is granted', async () => {
  const mallory = newUser()
  const before = opened()
  const { url } = await edge.challenge('Mail.GetEmails', mallory)
  // Mallory sent her own link to Ann
  app.findSession = 'ann'
  const { who, ended, visit } = await begin(url)
  expect(ended.text).toContain('somebody else')
  expect(visit.reply).toMatchObject({ status: 403 })
  const resumed = await who.open(url.replace(/\/start$/, '/resume'))
  expect([400, 403]).toContain(resumed.status)
  expect(opened()).toBe(before)
  await edge.challenge('Mail.GetEmails', mallory)
})

it('with USER_VERIFIER_URL, no one continues without confirmation, or in another browser than the confirmed one', async () => {
  const user = newUser()
  const before = opened()
  const { url } = await edge.challenge('Mail.GetEmails', user)
  const resume = url.replace(/\/start$/, '/resume')
  app.confirms = false
  const { who, visit } = await begin(url)
  expect([400, 403]).toContain((await who.open(resume)).status)
  const confirm = (flow: string, as = user) =>
    edge.ask('POST', `/authorizations/${visit.authorization}/confirm`, { flow, user_id: as })
  expect((await confirm('made-up')).status).toBe(404)
  const confirmed = await confirm(visit.flow)
  expect(confirmed).toMatchObject({ status: 200, body: { next: expect.stringContaining(`${resume}?`) } })
  // A flow is good for one word
  expect((await confirm(visit.flow)).status).toBe(404)
  expect([400, 403]).toContain((await new HttpPerson().open(resume)).status)
  const other = new HttpPerson()
  await other.press(await other.open(url), /continue/i)
  expect([400, 403]).toContain((await other.open(resume)).status)
  expect([400, 403]).toContain((await who.open(resume)).status)
  expect(opened()).toBe(before)

  const ended = await who.answerProvider(await who.open(confirmed.body.next), 'bob')
  expect(ended.url).toContain('/oauth/callback')
  expect(await get(user)).toMatchObject(succeeded('bob'))
  app.confirms = true
})

it("with USER_VERIFIER_URL, an attacker whose link a user confirms cannot continue in the attacker's browser", async () => {
  const user = newUser()
  const before = opened()
  for (const [tool, input] of [
    ['Mail.GetEmails', {}],
    ['mailbox.empty', { folder: 'spam' }],
  ] as const) {
    const { url } = await edge.challenge(tool, user, input)
    // Mallory has the user's link, and presses its button
    app.confirms = false
    const { who: mallory, visit } = await begin(url)
    app.confirms = true
    // The user opens the application's address that Mallory was sent to
    app.findSession = user
    const lured = new URL(app.url)
    lured.searchParams.set('authorization', visit.authorization)
    lured.searchParams.set('flow', visit.flow)
    expect((await new HttpPerson().open(lured.href)).status).toBe(403)
    expect(app.visits.at(-1)?.reply).toMatchObject({ status: 200 })

    app.confirms = false
    expect((await mallory.open(url.replace(/\/start$/, '/resume'))).status).toBe(400)
    const page = await mallory.open(url)
    expect((await mallory.press(page, /continue|approve/i)).text).toContain('thinking')
    app.confirms = true
    expect((await edge.call(tool, user, { input })).status).toBe(400)
  }
  expect(opened()).toBe(before)
})

it('with USER_VERIFIER_URL, only a credential that may act for the user can confirm the user', async () => {
  const user = newUser()
  const { url } = await edge.challenge('Mail.GetEmails', user)
  app.confirms = false
  const { visit } = await begin(url)
  app.confirms = true
  const path = `/authorizations/${visit.authorization}/confirm`
  const word = { flow: visit.flow, user_id: user }
  const as = async (users: 'any' | readonly string[], scopes?: readonly string[]) => ({
    authorization: `Bearer ${await edge.keyFor(users, scopes)}`,
  })
  const stranger = await as(['somebody-else'], ['users:confirm'])
  expect((await edge.ask('POST', path, word, stranger)).status).toBe(403)
  expect((await edge.ask('POST', path, word, await as('any'))).status).toBe(403)
  expect((await edge.ask('POST', path, word, {})).status).toBe(401)
  expect((await edge.ask('POST', path, { ...word, user_id: 'somebody-else' }, stranger)).status).toBe(404)
  expect((await edge.ask('POST', path, word, await as([user], ['users:confirm']))).status).toBe(200)
})

it('with USER_VERIFIER_URL, a call can be approved only by its user', async () => {
  const user = newUser()
  const call = { input: { folder: 'spam' } }
  const { url } = await edge.challenge('mailbox.empty', user, call.input)
  app.findSession = 'ann'
  expect((await begin(url)).ended.text).toContain('somebody else')
  expect((await edge.call('mailbox.empty', user, call)).status).toBe(400)

  app.findSession = user
  const again = await edge.challenge('mailbox.empty', user, call.input)
  const { who, ended } = await begin(again.url)
  // Back from the application at the page, where it can be approved now
  expect(ended.url).toBe(again.url)
  expect((await edge.call('mailbox.empty', user, call)).status).toBe(400)
  expect((await who.press(ended, /approve/i)).text).toMatch(/approved/i)
  expect((await edge.call('mailbox.empty', user, call)).body.result).toMatchObject({ success: true })
})
