import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const executable =
  process.env['CHROMIUM'] ||
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find((file) => existsSync(file))
const MISSING = "no Chromium: 'apt-get install -y chromium' brings it, or name one in the variable CHROMIUM"

/** Why tests that need a browser are skipped; empty if they run. In CI they always run, and fail without a browser. */
export const NO_BROWSER = executable !== undefined || process.env['CI'] === 'true' ? '' : `(skipped: ${MISSING})`

/** Disable Chromium's own network requests. */
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launchBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error(`There is ${MISSING}`)
  return chromium.launch({ executablePath: executable, args: FLAGS })
}

/** A person with their own browser context, which shares no cookies with others. */
export interface Person {
  readonly context: BrowserContext
  readonly page: Page
  leave(): Promise<void>
}

export async function person(browser: Browser, options: { readonly javaScript?: boolean } = {}): Promise<Person> {
  const context = await browser.newContext({ javaScriptEnabled: options.javaScript ?? true })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  return { context, page, leave: () => context.close() }
}

/** Opens a challenge's link and presses the button to continue. */
export async function openAndContinue({ page }: Person, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: /continue/i }).click()
}

/** On the provider's pages, signs in if asked, then allows or denies. */
export async function answerProvider(
  { page }: Person,
  account: string,
  decision: 'Allow' | 'Deny' = 'Allow',
): Promise<void> {
  const name = page.getByLabel('Name')
  const choice = page.getByRole('button', { name: decision })
  await name.or(choice).first().waitFor()
  if (await name.isVisible()) {
    await name.fill(account)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await choice.click()
}

/** Does everything a person does to consent, starting at the challenge's link. Returns the text of the final page. */
export async function consent(who: Person, url: string, account: string): Promise<string> {
  await openAndContinue(who, url)
  await answerProvider(who, account)
  await who.page.waitForURL(/\/oauth\/callback/)
  return textOf(who.page)
}

export function textOf(page: Page): Promise<string> {
  return page.getByRole('main').innerText()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Lists the accessibility violations that axe finds on a page, with their elements. */
export function violations(page: Page): Promise<string[]> {
  return page.evaluate(
    `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}
