import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  answerProvider,
  consent,
  launchBrowser,
  NO_BROWSER,
  openAndContinue,
  type Person,
  person,
  textOf,
} from './oauth/browser.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { screenshot } from './screenshot.ts'

const URL_ELICITATION: ClientCapabilities = { elicitation: { url: {} } }

let world: World
let edge: Connected
let browser: Browser
const people: Person[] = []
let users = 0

beforeAll(async () => {
  if (NO_BROWSER) return
  world = await startWorld()
  edge = await connect(world)
  browser = await launchBrowser()
})
afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close()]))
afterEach(async () => {
  for (const who of people.splice(0)) await who.leave()
  if (world) world.provider.pauseBeforeReturn = false
})

/** Creates a new user id; `newPerson` opens a browser for a person. */
const newUser = () => `user-${++users}`
async function newPerson(options: { readonly javaScript?: boolean } = {}): Promise<Person> {
  const who = await person(browser, options)
  people.push(who)
  return who
}

const grantsOf = async (user: string) => (await edge.ask('GET', `/users/${user}/grants`)).body.items

/** Checks that a page is accessible without sight or a mouse. */
async function expectAccessible(page: Page): Promise<void> {
  expect(await page.locator('html').getAttribute('lang')).toBe('en')
  expect(await page.title()).not.toBe('')
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect(await page.getByRole('main').count()).toBe(1)
  for (const control of await page.locator('button, a, input:not([type=hidden])').all()) {
    const named = await control.evaluate((element) => {
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
      return element.textContent || label || element.getAttribute('aria-label')
    })
    expect(named).toBeTruthy()
  }
  expect(await page.locator('script').count()).toBe(0)
}

describe.skipIf(NO_BROWSER !== '')(`a tool that acts for a person ${NO_BROWSER}`, () => {
  it('a tool that acts for a person is called over OXP: after the challenge and consent, the same call succeeds', async () => {
    const user = newUser()
    const { id, url, check_url } = await edge.challenge('Mail.GetEmails', user)
    expect(id).toBe('mail')
    const before = await edge.ask('GET', check_url)
    expect(before.body).toMatchObject({
      provider: 'mail',
      user_id: user,
      scopes: ['mail.read'],
      status: 'not_started',
    })

    const waiting = edge.settled(check_url)
    const who = await newPerson()
    await who.page.goto(url)
    const asked = await textOf(who.page)
    const { host } = world.api
    for (const word of ['Mail.GetEmails', 'mail.read', user, 'Test Mail', host]) expect(asked).toContain(word)
    await expectAccessible(who.page)
    await screenshot(who.page, 'consent')
    await who.page.getByRole('button', { name: /continue/i }).click()
    await answerProvider(who, 'ann')
    await who.page.waitForURL(/\/oauth\/callback/)
    await expectAccessible(who.page)
    await screenshot(who.page, 'granted')
    expect(await waiting).toMatchObject({ id: before.body.id, status: 'completed' })
    expect(world.provider.opened.at(-1)?.get('code_challenge_method')).toBe('S256')

    const { status, body } = await edge.call('Mail.GetEmails', user)
    expect({ status, result: body.result }).toMatchObject({
      status: 200,
      result: { success: true, value: { account: 'ann', emails: [{ subject: 'Hello ann' }] } },
    })
    expect(await grantsOf(user)).toMatchObject([
      { provider: 'mail', scopes: expect.arrayContaining(['mail.read']), refreshable: true },
    ])
  })

  it('a tool that acts for a person is called over the Open Tool Calling RFC', async () => {
    const user = newUser()
    const invoke = async () => {
      const tool = { name: 'GetEmails', toolkit: 'Mail', version: '1.0.0' }
      const { status, body } = await edge.ask('POST', '/worker/tools/invoke', {
        run_id: 'run-1',
        execution_id: `execution-${Math.random()}`,
        created_at: new Date().toISOString(),
        tool,
        inputs: {},
        context: { user_id: user },
      })
      expect(status, JSON.stringify(body)).toBe(200)
      return body
    }
    const { success, output } = await invoke()
    expect(success).toBe(false)
    expect(output.requires_authorization).toMatchObject({
      id: expect.any(String),
      url: expect.stringContaining(edge.server.url),
      scopes: ['mail.read'],
      status: 'not_started',
    })
    await consent(await newPerson(), output.requires_authorization.url, 'ann')
    expect(await invoke()).toMatchObject({ success: true, output: { value: { account: 'ann' } } })
  })

  describe('is called over MCP', () => {
    async function connected(user: string, mode: '2026-07-28' | 'legacy', capabilities: ClientCapabilities) {
      const client = new Client(
        { name: 'a test', version: '1.0.0' },
        { capabilities, ...(mode === 'legacy' ? {} : { versionNegotiation: { mode: { pin: mode } } }) },
      )
      const requestInit = { headers: { 'authorization': `Bearer ${await edge.keyFor([user])}`, 'x-user-id': user } }
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', edge.server.url), { requestInit }))
      return client
    }

    it('a tool that acts for a person is called over MCP on 2026-07-28: the client opens the link, and the call continues by itself', async () => {
      const user = newUser()
      const client = await connected(user, '2026-07-28', URL_ELICITATION)
      const asked: unknown[] = []
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params)
        if (params.mode !== 'url') throw new Error('Wanted a URL')
        await consent(await newPerson(), params.url, 'ann')
        return { action: 'accept' }
      })
      const answer = await client.callTool({ name: 'Mail_GetEmails', arguments: {} })
      expect(answer).toMatchObject({ structuredContent: { account: 'ann' } })
      expect(answer.isError).toBeFalsy()
      expect(asked).toMatchObject([{ mode: 'url', message: expect.stringContaining('Mail.GetEmails') }])
      await client.callTool({ name: 'Mail_GetEmails', arguments: {} })
      expect(asked).toHaveLength(1)
      await client.close()
    })

    it('a tool that acts for a person is called over MCP on 2026-07-28: if they decline, the model is told, and nothing is granted', async () => {
      const user = newUser()
      const client = await connected(user, '2026-07-28', URL_ELICITATION)
      client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }))
      const answer = await client.callTool({ name: 'Mail_GetEmails', arguments: {} })
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('declined') }] })
      expect(await grantsOf(user)).toEqual([])
      await client.close()
    })

    it('a tool that acts for a person is called over MCP on 2025-11-25: error -32042 has the link, and a second call succeeds', async () => {
      const user = newUser()
      const client = await connected(user, 'legacy', URL_ELICITATION)
      const refused = await client.callTool({ name: 'Mail_GetEmails', arguments: {} }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(UrlElicitationRequiredError)
      if (!(refused instanceof UrlElicitationRequiredError)) return
      const [elicitation] = refused.elicitations
      expect(elicitation).toMatchObject({ mode: 'url', elicitationId: expect.any(String) })
      await consent(await newPerson(), elicitation?.url ?? '', 'ann')
      const answer = await client.callTool({ name: 'Mail_GetEmails', arguments: {} })
      expect(answer).toMatchObject({ structuredContent: { account: 'ann' } })
      await client.close()
    })
  })

  it('a tool that acts for a person can be allowed in a browser without JavaScript', async () => {
    const user = newUser()
    const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
    await consent(await newPerson({ javaScript: false }), url, 'ann')
    expect(await edge.settled(check_url)).toMatchObject({ status: 'completed' })
  })
})

describe.skipIf(NO_BROWSER !== '')(`a person who refuses ${NO_BROWSER}`, () => {
  it('a person who refuses at the provider is told so, as is the caller, and the next call has a new challenge', async () => {
    const user = newUser()
    const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
    const who = await newPerson()
    await openAndContinue(who, url)
    await answerProvider(who, 'ann', 'Deny')
    await who.page.waitForURL(/\/oauth\/callback/)
    expect(await textOf(who.page)).toMatch(/refused|denied|not given/i)
    await expectAccessible(who.page)
    await screenshot(who.page, 'refused-at-provider')
    const ended = await edge.settled(check_url)
    expect(ended).toMatchObject({ status: 'failed', reason: expect.any(String) })
    const again = await edge.challenge('Mail.GetEmails', user)
    expect(again.url).not.toBe(url)
    expect(await grantsOf(user)).toEqual([])
  })

  it("a person who refuses on Switchboard's page is not sent to the provider", async () => {
    const user = newUser()
    const opened = world.provider.opened.length
    const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
    const who = await newPerson()
    await who.page.goto(url)
    await who.page.getByRole('button', { name: /refuse|deny|cancel|not/i }).click()
    await who.page.getByRole('heading', { name: /refused/i }).waitFor()
    await screenshot(who.page, 'refused-here')
    expect(await edge.settled(check_url)).toMatchObject({ status: 'failed', reason: expect.stringMatching(/refused/i) })
    expect(world.provider.opened).toHaveLength(opened)
    expect((await edge.challenge('Mail.GetEmails', user)).url).not.toBe(url)
  })
})

describe.skipIf(NO_BROWSER !== '')(`the redirect back from the provider ${NO_BROWSER}`, () => {
  /** A person at the provider's last page, and the link by which it would send them back. */
  async function halfway() {
    const user = newUser()
    const { url, check_url } = await edge.challenge('Mail.GetEmails', user)
    const who = await newPerson()
    world.provider.pauseBeforeReturn = true
    await openAndContinue(who, url)
    await answerProvider(who, 'ann')
    const link = who.page.getByRole('link', { name: 'Back to the app' })
    return { user, url, check_url, who, back: new URL((await link.getAttribute('href')) ?? '') }
  }
  const exchanges = () => world.provider.tokenRequests['authorization_code'] ?? 0

  /** Opens a way back that is another browser's, and must lead nowhere. */
  async function expectRefused(who: Person, back: URL, user: string): Promise<void> {
    const before = exchanges()
    const response = await who.page.goto(back.href)
    expect(response?.status()).toBe(403)
    expect(await textOf(who.page)).toContain('Started in another browser')
    await expectAccessible(who.page)
    expect(exchanges()).toBe(before)
    expect(await grantsOf(user)).toEqual([])
  }

  it('the redirect back from the provider is refused in another browser, and nothing is stored', async () => {
    const { user, back, who } = await halfway()
    const thief = await newPerson()
    await expectRefused(thief, back, user)
    await screenshot(thief.page, 'other-browser')
    // Whose it is can still come back
    await who.page.getByRole('link', { name: 'Back to the app' }).click()
    await who.page.waitForURL(/\/oauth\/callback/)
    expect((await edge.call('Mail.GetEmails', user)).body.result).toMatchObject({ success: true })
  })

  it("the redirect back from the provider is refused in another browser's flow, so a thief's code never becomes a user's grant", async () => {
    const victim = await halfway()
    const thief = await halfway()
    const mixed = new URL(victim.back)
    mixed.searchParams.set('code', thief.back.searchParams.get('code') ?? '')
    await expectRefused(thief.who, mixed, victim.user)
    // Login CSRF: the victim is made to follow the thief's link
    await expectRefused(victim.who, thief.back, thief.user)
    expect(await grantsOf(victim.user)).toEqual([])
  })
})

it.skipIf(NO_BROWSER !== '')(`an unknown or expired link says so ${NO_BROWSER}`, async () => {
  const who = await newPerson()
  for (const [path, status, title] of [
    ['/authorizations/made-up/start', 404, 'Nothing to authorize here'],
    ['/authorizations/made-up/resume', 404, 'Nothing to authorize here'],
    ['/oauth/callback?state=x', 410, 'This link no longer works'],
  ] as const) {
    const response = await who.page.goto(new URL(path, edge.server.url).href)
    expect(response?.status(), path).toBe(status)
    expect(await who.page.getByRole('heading', { level: 1 }).textContent()).toBe(title)
    await expectAccessible(who.page)
  }
  await screenshot(who.page, 'nowhere')
})
