import { readFile, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerProvider, launchBrowser, NO_BROWSER, type Person, person, textOf } from './oauth/browser.ts'
import { asAdmin, type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import { type Desktop, startDesktop } from './oauth/desktop.ts'
import { bringInspector, inspect, type Inspector, startInspector } from './oauth/inspector.ts'
import { screenshot } from './screenshot.ts'

const MISSING = NO_BROWSER === '' ? await bringInspector() : NO_BROWSER
const AGENTS = '/users/ann%40acme.test/agents'

describe.skipIf(MISSING !== '')(`the MCP inspector, without a header ${MISSING}`, () => {
  let world: ConnectWorld
  let browser: Browser
  let desktop: Desktop
  let inspector: Inspector
  let ann: Person
  let door: string

  beforeAll(async () => {
    ;[world, browser, desktop] = await Promise.all([startConnectWorld(), launchBrowser(), startDesktop()])
    door = `${world.server.url}/connect/mcp`
    inspector = await startInspector(desktop, door)
    ann = await person(browser)
    // It asks for its letters elsewhere
    await ann.context.route(
      ({ hostname }) => hostname !== '127.0.0.1' && hostname !== 'localhost',
      (route) => route.abort(),
    )
  })
  afterAll(() => Promise.all([inspector?.stop(), world?.stop(), browser?.close(), desktop?.remove()]))

  /** Opens its page and turns the server on. */
  async function turnOn(): Promise<void> {
    await ann.page.goto(inspector.url)
    await ann.page.getByText('Disconnected').waitFor()
    const away = async () => {
      // A click that comes before the page listens is lost; the switch itself is covered by what is drawn of it
      const isOff = await ann.page.getByText('Disconnected').isVisible()
      if (isOff) await ann.page.getByRole('switch').first().click({ force: true })
      return new URL(ann.page.url()).origin
    }
    await expect.poll(away, { interval: 5_000, timeout: 60_000 }).not.toBe(new URL(inspector.url).origin)
  }

  async function choose(decision: 'Allow' | 'Deny'): Promise<void> {
    await ann.page.waitForURL(/\/connect\/authorize/)
    const text = await textOf(ann.page)
    for (const said of ['MCP Inspector', 'Not verified', 'ann@acme.test', 'own computer']) {
      expect(text).toContain(said)
    }
    await ann.page.getByRole('checkbox', { name: /Calculator/ }).check()
    await ann.page.getByRole('button', { name: decision }).click()
  }

  /** Lists the tools, and calls one by its form. */
  async function call(): Promise<void> {
    const { page } = ann
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.getByText('Tools', { exact: true }).first().click()
    await page.getByText('Tools (2)').waitFor()
    await page.getByText('Calculator_Add').first().click()
    await page.getByRole('textbox', { name: /^a\b/ }).fill('2')
    await page.getByRole('textbox', { name: /^b\b/ }).fill('3')
    await page.getByRole('button', { name: 'Execute Tool' }).click()
  }

  it('the MCP inspector, without a header, discovers sign-in, registers, opens the page, lists and calls', async () => {
    await turnOn()
    await answerProvider(ann, 'ann')
    await choose('Allow')
    await call()
    await ann.page.getByText('"result": 5').waitFor()
    await screenshot(ann.page, 'inspector')
    const { items } = (await world.server.json('GET', AGENTS, undefined, asAdmin)).body
    expect(items).toMatchObject([{ client: { name: 'MCP Inspector' }, toolkits: ['Calculator'] }])
  })

  it('the MCP inspector, without a header, continues in its command line, which refreshes an expired token', async () => {
    const adding = ['--method', 'tools/call', '--tool-name', 'Calculator_Add', '--tool-arg', 'a=2', 'b=3']
    expect(await inspect(desktop, door, ...adding)).toMatchObject({ structuredContent: { result: 5 } })
    const kept = await readFile(inspector.secrets, 'utf8')
    const [token = ''] = /(?<=access_token\\":\\")[\w:-]+/.exec(kept) ?? []
    expect(token).not.toBe('')
    await writeFile(
      inspector.secrets,
      kept.replace(
        token,
        token.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')),
      ),
    )
    expect(await inspect(desktop, door, ...adding)).toMatchObject({ structuredContent: { result: 5 } })
    expect(await desktop.opened()).toEqual([])
  })

  it('the MCP inspector, without a header, asks the person again after they ended its access, and they may refuse', async () => {
    expect((await world.server.json('DELETE', AGENTS, undefined, asAdmin)).status).toBe(204)
    await turnOn()
    await choose('Deny')
    await ann.page.getByText('access_denied').first().waitFor()
    expect((await world.server.json('GET', AGENTS, undefined, asAdmin)).body.items).toEqual([])
  })
})
