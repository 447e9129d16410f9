import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, NO_BROWSER, person, textOf } from './oauth/browser.ts'
import { type Server, startServer } from './server.ts'

/** Every page of the console that can be opened by its address. */
const PATHS = ['/', '/?q=add&toolkit=Calculator', '/?q=nothing-is-like-this', '/console/tools/Gmail.GetEmails']

const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What an automatic check of accessibility finds wrong: each rule with the elements that break it. */
async function violations(page: Page): Promise<readonly string[]> {
  const script = `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`
  return page.evaluate<string[]>(script)
}

describe.skipIf(NO_BROWSER !== '')(`the console in a browser ${NO_BROWSER}`, () => {
  let server: Server
  let browser: Browser
  beforeAll(async () => {
    server = await startServer()
    browser = await launchBrowser()
  })
  afterAll(() => Promise.all([server?.stop(), browser?.close()]))

  it.each(SIZES)('is in order on every page at $width px, $colorScheme, and asks no other host', async (size) => {
    const { context, page, leave } = await person(browser)
    const hosts = new Set<string>()
    const faults: string[] = []
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: size.colorScheme })
    for (const [index, path] of PATHS.entries()) {
      await page.goto(server.url + path)
      await page.screenshot({ path: join(tmpdir(), `switchboard-console-${size.width}-${index}.png`), fullPage: true })
      expect([path, await violations(page)]).toEqual([path, []])
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect([path, width]).toEqual([path, size.width])
    }
    expect([...hosts]).toEqual([server.url])
    expect(faults).toEqual([])
    await context.close()
    await leave()
  })

  it('leads from a question to a tool, by the keyboard alone', async () => {
    const { page, leave } = await person(browser)
    await page.goto(server.url)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
    await page.keyboard.press('/')
    await page.keyboard.type('add two numbers')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=add/)
    await page.getByRole('link', { name: 'Calculator.Add', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/tools\/Calculator\.Add/)
    const text = await textOf(page)
    for (const said of ['Adds two numbers together.', 'The first number to add.', 'required'])
      expect(text).toContain(said)
    await page.getByRole('link', { name: 'MCP', exact: true }).click()
    expect(await textOf(page)).toContain('"inputSchema"')
    await leave()
  })

  it('works without a script', async () => {
    const { page, leave } = await person(browser, { javaScript: false })
    await page.goto(server.url)
    await page.getByLabel('What should it do?').fill('timestamp')
    await page.getByRole('combobox', { name: 'Toolkit' }).selectOption('System')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'System.GetTimestamp' }).click()
    expect(await page.title()).toContain('System.GetTimestamp')
    await leave()
  })
})
