import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { screens } from '../extent.ts'
import { connected, rpc } from './oauth/agent.ts'
import { answerProvider, launchBrowser, NO_BROWSER, type Person, person, textOf } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { screenshot } from './screenshot.ts'

const RULES = [{ domain: 'acme.test', toolkits: ['Mail', 'mailbox', 'Calculator'] }]
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What people see of their own, with what others must not do to them. */
describe.skipIf(NO_BROWSER !== '')(`a person's own pages of the console, in a browser ${NO_BROWSER}`, () => {
  let world: World
  let edge: Connected
  let browser: Browser
  let url: string

  beforeAll(async () => {
    world = await startWorld()
    for (const name of ['ann', 'bob'])
      world.provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
    edge = await connect(world, { vars: signInVars(world.provider, RULES) })
    ;({ url } = edge.server)
    world.provider.allowRedirectTo(`${url}/sign-in/callback`)
    browser = await launchBrowser()
  })
  afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close()]))

  /** Somebody at a page, who signed in on the way there. */
  async function at(path: string, name: string, options = {}): Promise<Person> {
    const who = await person(browser, { javaScript: false, ...options })
    await who.page.setViewportSize({ width: 360, height: 740 })
    await who.page.goto(url + path)
    await answerProvider(who, name)
    await who.page.waitForURL(url + path)
    return who
  }

  async function byHttp(name: string): Promise<HttpPerson> {
    const who = new HttpPerson()
    expect((await signIn(who, url, name)).status).toBe(200)
    return who
  }

  /** Presses a button, and the one of the same name in the dialog that it opens. */
  async function press(page: Page, name: RegExp): Promise<void> {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').getByRole('button', { name }).click()
  }

  it("a person's own pages of the console, in a browser, list and end their agents, without JavaScript", async () => {
    const mine = await connected(await byHttp('ann'), url, ['Calculator'])
    const other = await connected(await byHttp('ann'), url, ['Calculator', 'Mail'])
    const bobs = await connected(await byHttp('bob'), url, ['Calculator'])
    const { page, leave } = await at('/console/agents', 'ann')
    await page.getByRole('button', { name: 'Menu' }).click()
    expect(await page.getByRole('link', { name: 'Agents' }).getAttribute('aria-current')).toBe('page')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('link', { name: 'Agents' }).isVisible()).toBe(false)
    expect(await page.getByRole('rowheader', { name: 'A test agent' }).count()).toBe(2)
    const text = await textOf(page)
    for (const said of ['127.0.0.1:7777', 'Calculator, Mail', 'never']) expect(text).toContain(said)
    await screenshot(page, 'console-agents')

    // The newest stands first
    await press(page, /^Disconnect “A test agent”/)
    await page.waitForURL(`${url}/console/agents?done=1`)
    expect(await page.getByRole('status').innerText()).toContain('Agent disconnected')
    expect((await rpc(url, other.tokens.access_token, 'tools/list')).status).toBe(401)
    expect((await rpc(url, mine.tokens.access_token, 'tools/list')).status).toBe(200)
    await press(page, /^Disconnect “A test agent”/)
    expect(await textOf(page)).toContain('No connected agents')
    expect((await rpc(url, mine.tokens.access_token, 'tools/list')).status).toBe(401)
    expect((await rpc(url, bobs.tokens.access_token, 'tools/list')).status).toBe(200)

    await page.goto(`${url}/console/agents?user=bob%40acme.test`)
    expect(await textOf(page)).toContain('may not act for the user')
    await leave()
  })

  it("a person's own pages of the console, in a browser, list and end their sessions", async () => {
    const elsewhere = await byHttp('bob')
    const { page, leave } = await at('/console/sign-ins', 'bob')
    const before = await page.getByRole('button', { name: /^End (?:this|the) session/ }).count()
    await screenshot(page, 'console-sign-ins')
    expect(await textOf(page)).toContain('Chrome on Linux, this browser')
    await press(page, /^End this session/)
    // That was this browser: it is led to sign in
    await page.waitForURL(/\/interaction\/|\/auth|\/console\/sign-ins/)
    expect((await elsewhere.open(`${url}/console/sign-ins`)).text).toContain('Sessions')
    const left = JSON.parse((await elsewhere.open(`${url}/sessions`)).text).items
    expect(left).toHaveLength(before - 1)
    await leave()
  })

  it("a person's own pages of the console, in a browser, list and disconnect their accounts", async () => {
    const { url: link, check_url } = await edge.challenge('Mail.GetEmails', 'ann@acme.test')
    const { page, leave } = await at('/console/accounts', 'ann')
    expect(await textOf(page)).toContain('No connected accounts')
    await page.goto(link)
    await page.getByRole('button', { name: /continue/i }).click()
    await answerProvider({ page } as Person, 'ann')
    await page.waitForURL(/\/oauth\/callback/)
    expect(await edge.settled(check_url)).toMatchObject({ status: 'completed' })
    expect((await edge.call('Mail.GetEmails', 'ann@acme.test')).status).toBe(200)

    await page.goto(`${url}/console/accounts`)
    expect(await textOf(page)).toContain('mail.read')
    expect(await textOf(page)).toContain('Working')
    await page.getByRole('button', { name: 'Check mail' }).click()
    expect(await page.getByRole('alert').innerText()).toContain("the scope 'openid'")
    world.provider.endGrants('ann')
    await edge.challenge('Mail.GetEmails', 'ann@acme.test')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${url}/console/accounts`)
      await screenshot(page, `console-connections-${width}`)
    }
    for (const part of ['Ended', 'no longer accepted']) expect(await textOf(page)).toContain(part)
    await page.getByRole('button', { name: 'Check mail' }).click()
    await page.waitForURL(`${url}/console/accounts?done=1`)
    expect(await textOf(page)).toContain('Ended')
    // No toolkit uses it any more: the form asks for one
    await page.getByRole('button', { name: 'Reconnect mail' }).click()
    expect(await page.getByLabel('Provider').inputValue()).toBe('mail')
    await page.getByLabel('Toolkit').fill('Mail')
    await page.getByRole('button', { name: 'Connect an account' }).click()
    await page.getByRole('button', { name: /continue/i }).click()
    await page.waitForURL((at) => at.href.startsWith(world.provider.issuer))
    await page.goto(`${url}/console/accounts`)
    await press(page, /^Disconnect mail/)
    await page.waitForURL(`${url}/console/accounts?done=1`)
    expect(await textOf(page)).toContain('No connected accounts')
    await edge.challenge('Mail.GetEmails', 'ann@acme.test')
    await leave()
  })

  it("a person's own pages of the console, in a browser, ignore forms from other sites", async () => {
    const ann = await byHttp('ann')
    const { tokens } = await connected(ann, url, ['Calculator'])
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.test' },
    ]) {
      const answer = await ann.post(`${url}/console/agents`, { all: '1' }, headers)
      expect([answer.status, answer.text.includes('sent by another site')]).toEqual([403, true])
    }
    expect((await rpc(url, tokens.access_token, 'tools/list')).status).toBe(200)
    expect((await ann.post(`${url}/console/agents`, { all: '1' }, { origin: url })).text).toContain(
      'No connected agents',
    )
    expect((await rpc(url, tokens.access_token, 'tools/list')).status).toBe(401)
  })

  it.each(screens([1280, 360]))(
    "a person's own pages of the console, in a browser, have no layout errors at %i px, and work with the keyboard",
    async (width) => {
      await connected(await byHttp('ann'), url, ['Calculator'])
      const { page, leave } = await at('/console/agents', 'ann', { javaScript: true })
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: width === 360 ? 'dark' : 'light' })
      for (const path of ['/console/agents?done=1', '/console/sign-ins', '/console/accounts']) {
        await page.goto(url + path)
        for (const each of await page.locator('details').all())
          await each.evaluate((details) => details.setAttribute('open', ''))
        const name = path.slice(1).replaceAll(/\W+/g, '-')
        await screenshot(page, `${name}-${width}`)
        const script = `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`
        expect([path, await page.evaluate<string[]>(script)]).toEqual([path, []])
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width])
      }
      await page.goto(`${url}/console/agents`)
      await page
        .getByRole('button', { name: /^Disconnect “A test agent”/ })
        .first()
        .focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toMatch(
        /^Disconnect “A test agent”/,
      )
      await page.keyboard.press('Enter')
      await page.waitForURL(`${url}/console/agents?done=1`)
      await leave()
    },
  )
})
