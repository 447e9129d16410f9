import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerProvider, launchBrowser, NO_BROWSER, person, textOf } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { answerSignIn, signIn, signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { screenshot } from './screenshot.ts'

const TOOL = 'mailbox.empty'
const RULES = [
  { domain: 'acme.test', toolkits: ['Mail', 'mailbox'] },
  { group: 'approvers', scopes: ['tools:publish'], toolkits: ['mailbox'] },
  { group: 'others', scopes: ['tools:publish'], toolkits: ['Lab'] },
]

let world: World
let edge: Connected
let browser: Browser | undefined
let users = 0

beforeAll(async () => {
  world = await startWorld()
  edge = await connect(world, { vars: signInVars(world.provider, RULES) })
  world.provider.allowRedirectTo(`${edge.server.url}/sign-in/callback`)
})
afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close()]))

/** Somebody at the provider whom nobody was before, and their user here. */
function newPerson(...groups: string[]) {
  const name = `person${++users}`
  const email = `${name}@acme.test`
  world.provider.claims[name] = { email, email_verified: true, groups }
  return { name, email }
}
const pathOf = (url: string) => new URL(url).pathname
const emptied = () => world.api.requests.filter(({ path }) => path === '/mailbox').length

async function findSession(name: string): Promise<HttpPerson> {
  const who = new HttpPerson()
  expect((await signIn(who, edge.server.url, name)).status).toBe(200)
  return who
}

it.skipIf(NO_BROWSER !== '')(
  `a consent, where people sign in, is only for the user, from the link to the token, in Chromium ${NO_BROWSER}`,
  async () => {
    const { name, email } = newPerson()
    browser = await launchBrowser()
    const { url, check_url } = await edge.challenge('Mail.GetEmails', email)
    const who = await person(browser, { javaScript: false })
    await who.page.setViewportSize({ width: 360, height: 740 })
    await who.page.goto(url)
    expect(await textOf(who.page)).toContain('Sign in first')
    expect(await textOf(who.page)).not.toContain(email)
    await screenshot(who.page, 'sign-in-first')
    await who.page.getByRole('link', { name: 'Sign in' }).click()
    await answerProvider(who, name)
    await who.page.waitForURL(url)
    expect(await textOf(who.page)).toContain(email)
    expect(await who.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await screenshot(who.page, 'consent-signed-in')
    await who.page.getByRole('button', { name: /continue/i }).click()
    await answerProvider(who, name)
    await who.page.waitForURL(/\/oauth\/callback/)
    expect(await edge.settled(check_url)).toMatchObject({ status: 'completed' })
    expect((await edge.call('Mail.GetEmails', email)).body.result).toMatchObject({ success: true })
    await who.leave()
  },
)

it('a consent, where people sign in, is not shown to another person until they sign out and in as the user', async () => {
  const [mallory, ann] = [newPerson(), newPerson()]
  const opened = world.provider.opened.length
  // Mallory sends Ann the link of her own user
  const { url } = await edge.challenge('Mail.GetEmails', mallory.email)
  const who = await findSession(ann.name)
  const asSignedIn = world.provider.opened.length - opened
  const page = await who.open(url)
  expect(page).toMatchObject({ status: 403, text: expect.stringContaining('somebody else') })
  for (const hidden of [mallory.email, 'Mail.GetEmails', 'mail.read']) expect(page.text).not.toContain(hidden)
  const forced = await who.post(url, { decision: 'continue' }, { origin: edge.server.url })
  expect(forced.status).toBe(403)
  expect(world.provider.opened.length - opened).toBe(asSignedIn)

  const login = await who.press(page, /somebody else/)
  const back = await answerSignIn(who, login, mallory.name)
  expect(back).toMatchObject({ status: 200, url, text: expect.stringContaining(mallory.email) })
})

it('a consent, where people sign in, is in the audit log, given or refused, with its user, provider and tool', async () => {
  const since = new Date().toISOString()
  const [giving, refusing] = [newPerson(), newPerson()]
  for (const [{ name, email }, decision] of [
    [giving, 'Allow'],
    [refusing, 'Deny'],
  ] as const) {
    const { url } = await edge.challenge('Mail.GetEmails', email)
    await (await findSession(name)).consent(url, name, decision)
  }
  const told = async () => {
    const { body } = await edge.ask('GET', `/audit?since=${since}&act=grant.give&limit=100`)
    return body.items
  }
  await expect.poll(async () => (await told()).length).toBe(1)
  const [given] = await told()
  expect(given).toMatchObject({ act: 'grant.give', user_id: giving.email, outcome: 'success', status: 200 })
  expect(given).toMatchObject({ path: '/oauth/callback', about: { provider: 'mail' } })
  expect(given.about.tool).toContain('Mail.GetEmails')
  expect(JSON.stringify(given)).not.toMatch(/code=|state=/)
})

it('a consent, where people sign in, is neither shown to nor accepted from someone who only has the link', async () => {
  const { email } = newPerson()
  const { url, check_url } = await edge.challenge('Mail.GetEmails', email)
  const who = new HttpPerson()
  for (const answer of [
    await who.open(url),
    await who.post(url, { decision: 'continue' }, { origin: edge.server.url }),
    await who.post(url, { decision: 'refuse' }, { origin: edge.server.url }),
  ]) {
    expect(answer.text).toContain('Sign in first')
    expect(answer.text).not.toContain(email)
  }
  expect((await edge.ask('GET', check_url)).body.status).toBe('not_started')
})

const approve = async (who: HttpPerson, url: string) => who.press(await who.open(url), /approve/i)

it('an approval, where people sign in, is only for the user', async () => {
  const { name, email } = newPerson()
  const { url } = await edge.challenge(TOOL, email, { folder: 'spam' })
  const before = emptied()
  const somebody = await findSession(newPerson().name)
  expect((await somebody.open(url)).status).toBe(403)
  expect((await somebody.post(url, { decision: 'approve' }, { origin: edge.server.url })).status).toBe(403)
  expect((await edge.call(TOOL, email, { input: { folder: 'spam' } })).status).toBe(400)
  const who = await findSession(name)
  expect((await approve(who, url)).text).toContain('You approved')
  expect((await edge.call(TOOL, email, { input: { folder: 'spam' } })).body.result).toMatchObject({ success: true })
  expect(emptied()).toBe(before + 1)
})

it('an approval, where people sign in, may be given by people who may publish in the toolkit by name, also without a user', async () => {
  const [approver, other] = [newPerson('approvers'), newPerson('others')]
  const { email } = newPerson()
  for (const user of [email, undefined]) {
    const { url } = await edge.challenge(TOOL, user, { folder: 'old' })
    expect((await (await findSession(other.name)).open(url)).status).toBe(403)
    const page = await approve(await findSession(approver.name), url)
    expect(page.text).toContain('You approved')
    expect((await edge.call(TOOL, user, { input: { folder: 'old' } })).body.result).toMatchObject({ success: true })
  }
  // Consent stays the user's
  const { url } = await edge.challenge('Mail.GetEmails', email)
  expect((await (await findSession(approver.name)).open(url)).status).toBe(403)
})

it('an approval, where people sign in, cannot be given after the session ended', async () => {
  const { name, email } = newPerson()
  const { url } = await edge.challenge(TOOL, email, { folder: 'spam' })
  const who = await findSession(name)
  const page = await who.open(url)
  await who.post(`${edge.server.url}/sign-out`, {}, { origin: edge.server.url })
  expect((await who.press(page, /approve/i)).text).toContain('Sign in first')
  expect((await edge.call(TOOL, email, { input: { folder: 'spam' } })).status).toBe(400)
})

it('an approval, where people sign in, cannot be given by an agent, whatever it sends', async () => {
  const { email } = newPerson()
  const { url } = await edge.challenge(TOOL, email, { folder: 'spam' })
  const key = await edge.keyFor([email], ['tools:call', 'tools:publish', 'users:confirm', 'admin'])
  const headers = { 'authorization': `Bearer ${key}`, 'x-user-id': email, 'origin': edge.server.url }
  for (const cookie of [`switchboard-session=${key.slice(3)}`, `switchboard-session=${'x'.repeat(43)}`, '']) {
    const posted = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      body: new URLSearchParams({ decision: 'approve' }),
    })
    expect(await posted.text()).toContain('Sign in first')
  }
  expect((await fetch(`${edge.server.url}/sign-in/key`, { method: 'POST', headers })).status).toBe(404)
  const resumed = await fetch(`${edge.server.url}${pathOf(url).replace('/start', '/resume')}?proof=x`, { headers })
  expect(await resumed.text()).toContain('Sign in first')
  expect((await edge.call(TOOL, email, { input: { folder: 'spam' } })).status).toBe(400)
})

it("people's decisions are in the audit log, with who decided, and without the link", async () => {
  const { name, email } = newPerson()
  const { url } = await edge.challenge(TOOL, email, { folder: 'spam' })
  const who = await findSession(name)
  await who.press(await who.open(url), /approve/i)
  const refused = await edge.challenge(TOOL, email, { folder: 'other' })
  await who.press(await who.open(refused.url), /deny/i)
  const acts = async () => (await edge.ask('GET', `/audit?user_id=${encodeURIComponent(email)}`)).body.items
  await expect.poll(async () => (await acts()).length, { timeout: 20_000 }).toBe(3)
  const told = await acts()
  expect(told.map(({ act, principal, outcome }: any) => [act, principal, outcome])).toEqual([
    ['approval.refuse', `person:${email}`, 'success'],
    ['approval.approve', `person:${email}`, 'success'],
    ['session.begin', `person:${email}`, 'success'],
  ])
  expect(told[1].about.tool).toMatch(/^mailbox\.empty/i)
  for (const link of [url, refused.url]) expect(JSON.stringify(told)).not.toContain(pathOf(link).split('/')[2])
})
