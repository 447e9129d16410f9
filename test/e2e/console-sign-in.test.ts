import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { screens } from '../extent.ts'
import { answerProvider, launchBrowser, NO_BROWSER, type Person, person, textOf, violations } from './oauth/browser.ts'
import { signInVars } from './oauth/sign-in.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'
import { screenshot } from './screenshot.ts'

const RULES = [
  { domain: 'acme.test', toolkits: ['Mail', 'mailbox'] },
  { group: 'platform', scopes: ['admin'] },
]
const SIZES = screens([
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
])

/** A person's way through the console, where a provider signs people in. */
describe.skipIf(NO_BROWSER !== '')(`a company's console, in a browser ${NO_BROWSER}`, () => {
  let world: World
  let edge: Connected
  let browser: Browser
  let url: string

  beforeAll(async () => {
    world = await startWorld()
    for (const { width } of SIZES) {
      const email = `ann${width}@acme.test`
      world.provider.claims[`ann${width}`] = { email, email_verified: true }
    }
    world.provider.claims['root'] = { email: 'root@other.test', email_verified: true, groups: ['platform'] }
    edge = await connect(world, { vars: signInVars(world.provider, RULES) })
    ;({ url } = edge.server)
    world.provider.allowRedirectTo(`${url}/sign-in/callback`)
    browser = await launchBrowser()
  })
  afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close()]))

  /** Somebody who pressed "Sign in" on the first page that a deployment shows; every host that their browser asks is noted. */
  async function findSession(
    name: string,
    size: { width: number; height: number },
  ): Promise<Person & { hosts: Set<string> }> {
    const who = await person(browser)
    const hosts = new Set<string>()
    who.context.on('request', (request) => hosts.add(new URL(request.url()).host))
    await who.page.setViewportSize(size)
    await who.page.goto(url)
    await who.page.getByRole('link', { name: 'Sign in' }).click()
    await answerProvider(who, name)
    await who.page.waitForURL(`${url}/`)
    return { ...who, hosts }
  }

  async function inOrder(page: Page, name: string, width: number): Promise<void> {
    await screenshot(page, `console-${name}-${width}`)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }

  /** The sidebar is a drawer where the page is narrow. */
  async function openMenu(page: Page): Promise<void> {
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
  }

  it.each(SIZES)(
    "a company's console, in a browser, leads through sign-in and consent to a result, and signs out, at $width px",
    async (size) => {
      const { width } = size
      const name = `ann${width}`
      const who = await findSession(name, size)
      const { page, context, hosts, leave } = who
      await openMenu(page)
      expect(await page.getByRole('banner').innerText()).toContain(`${name}@acme.test`)
      await page.keyboard.press('Escape')
      expect(await textOf(page)).not.toContain('Calculator')
      await page.getByRole('main').getByLabel('Search tools').fill('get emails')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link', { name: 'Mail.GetEmails', exact: true }).click()
      // Nobody says for whom: it is them
      expect(await page.getByLabel(/^User\b/).count()).toBe(0)
      await page.getByRole('button', { name: 'Call tool' }).click()
      const link = page.getByRole('link', { name: 'Connect mail' }).last()
      await page.getByText('Action required').waitFor()
      await inOrder(page, 'challenge', width)
      const opened = context.waitForEvent('page')
      await link.click()
      const consent = { ...who, page: await opened }
      await consent.page.getByRole('button', { name: /continue/i }).click()
      await answerProvider(consent, name)
      await consent.page.waitForURL(/\/oauth\/callback/)
      // It is called again by itself
      await page.getByText('Succeeded').waitFor()
      await inOrder(page, 'result', width)
      await page.goto(`${url}/console/calls`)
      await expect.poll(async () => (await page.reload(), textOf(page))).toMatch(/Mail\.GetEmails@1\.0\.0\s+Success/)
      // The consoles' pages are of one host, and those of the provider of its own
      expect([...hosts].toSorted()).toEqual([new URL(url).host, world.provider.host].toSorted())
      await openMenu(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.goto(url)
      await page.getByRole('link', { name: 'Sign in' }).waitFor()
      await leave()
    },
  )

  it.each(SIZES)(
    "a company's console, in a browser, runs a call only after a person approves it, at $width px",
    async (size) => {
      const { width } = size
      const { page, leave } = await findSession(`ann${width}`, size)
      const emptied = () => world.api.requests.filter(({ path }) => path === '/mailbox').length
      const before = emptied()
      await page.goto(`${url}/console/tools/mailbox.empty`)
      await page.getByLabel(/^folder/).fill('spam')
      await page.getByRole('button', { name: 'Call tool' }).click()
      const link = page.getByRole('link', { name: 'Approve this call' })
      await link.waitFor()
      await inOrder(page, 'approval', width)
      expect(emptied()).toBe(before)
      await page.getByText('This page continues by itself').waitFor()
      const root = await findSession('root', size)
      await root.page.goto((await link.getAttribute('href')) ?? '')
      expect(await textOf(root.page)).toMatch(/mailbox\.empty@1\.0\.0[^]*spam/)
      await root.page.getByRole('button', { name: 'Approve' }).click()
      expect(await textOf(root.page)).toMatch(/approved/i)
      await page.getByText('Succeeded').waitFor()
      expect(emptied()).toBe(before + 1)
      await Promise.all([leave(), root.leave()])
    },
  )

  it.each(SIZES)("a company's console, in a browser, adds a provider and removes it, at $width px", async (size) => {
    const { page, leave } = await findSession('root', size)
    const id = `other${size.width}`
    await page.goto(`${url}/console/providers`)
    await page.getByLabel(/^ID/).fill(id)
    await page.getByLabel(/^Issuer/).fill(world.provider.issuer)
    await page.getByLabel('Client ID').fill('a-client')
    await page.getByLabel(/^Client secret name/).fill('ADMIN_KEY')
    await page.getByText('Advanced settings').click()
    await page.getByLabel(/^Name/).fill('The other one')
    await page.getByLabel(/^Tools/).fill('Mail.*')
    await inOrder(page, 'provider', size.width)
    await page.getByRole('button', { name: 'Add provider' }).click()
    // The deployment's own secrets are no client's
    expect(await page.getByRole('alert').innerText()).toContain('Client secret name')
    await page.getByLabel(/^Client secret name/).fill('MAIL_CLIENT_SECRET')
    await page.getByRole('button', { name: 'Add provider' }).click()
    await page.waitForURL(/done=1/)
    expect((await edge.ask('GET', `/providers/${id}`)).body).toMatchObject({
      id,
      name: 'The other one',
      issuer: world.provider.issuer,
      client_secret_name: 'MAIL_CLIENT_SECRET',
      tools: ['Mail.*'],
    })
    const item = page.getByRole('listitem').filter({ hasText: id })
    await item.getByRole('button', { name: 'Remove provider' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove provider' }).click()
    await page.waitForURL(/done=1/)
    expect((await edge.ask('GET', `/providers/${id}`)).status).toBe(404)
    await leave()
  })
})
