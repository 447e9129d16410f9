import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Shows a page to who wants to look at it: `SCREENSHOTS=1` leaves it in the system's folder for temporary files. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return
  await page.screenshot({ path: join(tmpdir(), `switchboard-${name}.png`), fullPage: true })
}
