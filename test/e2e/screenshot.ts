import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Saves a screenshot of a page to the system's temporary folder if `SCREENSHOTS=1`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return
  await page.screenshot({ path: join(tmpdir(), `switchboard-${name}.png`), fullPage: true })
}
