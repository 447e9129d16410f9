import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Invocations, startInvocations } from '../attacks/invocations.ts'
import { screens } from '../extent.ts'
import { launchBrowser, NO_BROWSER, type Person, person } from './oauth/browser.ts'
import { screenshot } from './screenshot.ts'

let on: Invocations
let browser: Browser
let who: Person

beforeAll(async () => {
  if (NO_BROWSER) return
  on = await startInvocations({ approval: true })
  await on.connectAccount('ann', 'personal')
  browser = await launchBrowser()
})
afterAll(() => Promise.all([on?.stop(), browser?.close()]))
afterEach(() => who?.leave())

const NOTE = 'Dear Bob,\nas agreed on the phone.\nAnn'

/** A call that gives its tool something of every kind, and the page that asks for its approval. */
async function pageOfAll(): Promise<string> {
  const file = await on.upload('PAY 10 TO BOB', 'order.txt')
  const answers = { amount: { action: 'accept', content: { eur: 10, confirmed_by_the_user: true } } }
  const asked = await on.mcp(
    'Mail_Order',
    { arguments: { eur: 10, to: 'Bob', note: NOTE, file }, inputResponses: answers },
    { 'dev.switchboard/context': { account: 'personal', user_info: { role: 'owner', email: 'ann@acme.example' } } },
  )
  return on.pageOf(asked)
}

it.skipIf(NO_BROWSER !== '').each(screens([1280, 360]))(
  `the approval page shows everything that the tool will receive, at %i px ${NO_BROWSER}`,
  async (width) => {
    const url = await pageOfAll()
    who = await person(browser, { javaScript: false })
    const { page } = who
    await page.setViewportSize({ width, height: 900 })
    await page.goto(url)
    await screenshot(page, `approval-${width}`)
    const text = await page.locator('main').innerText()
    for (const said of ['Mail.Order@1.0.0', 'ann', 'personal', 'this Switchboard’s own', NOTE, 'ann@acme.example']) {
      expect(text).toContain(said)
    }
    expect(text).toMatch(/confirmed_by_the_user\s+true/)
    // Nothing is cut off, and nothing has to be scrolled to beside the text
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'order.txt' }).click()
    const path = await (await downloading).path()
    expect(readFileSync(path, 'utf8')).toBe('PAY 10 TO BOB')
  },
)
