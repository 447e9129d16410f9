import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, NO_BROWSER, person } from './oauth/browser.ts'
import { type RunningServer, startApp } from './server.ts'
import { screenshot } from './screenshot.ts'

const inputSchema = { type: 'object' }
const RUNS = "document.documentElement.setAttribute('data-ran', 'yes')"
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" onload="${RUNS}"><style>rect{fill:#0b5a4a}</style><rect width="8" height="8"/><script>${RUNS}</script><image href="https://elsewhere.example/a.png" width="1" height="1"/></svg>`
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const TOOLS = [
  { name: 'dot', title: 'A dot', icons: [{ src: `data:image/png;base64,${DOT}` }] },
  { name: 'drawing', title: 'A drawing', icons: [{ src: `data:image/svg+xml,${encodeURIComponent(DRAWING)}` }] },
  { name: 'gone', title: 'Without its icon', icons: [{ src: 'https://icons.example/gone.png' }] },
  { name: 'plain' },
]

describe.skipIf(NO_BROWSER !== '')(`titles and icons in a browser ${NO_BROWSER}`, () => {
  let server: RunningServer
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
    server = await startApp({ outbound: () => Response.json({}, { status: 404 }) as never })
    const implementation = { kind: 'code', module: 'export default () => 1' }
    for (const tool of TOOLS) {
      const definition = { ...tool, description: 'Is seen', inputSchema }
      const body = { definition, implementation, toolkit: 'Seen', version: '1.0.0', tags: ['seen'] }
      const published = await server.json('POST', '/tools', body)
      expect(published.status, JSON.stringify(published.body)).toBe(201)
    }
    await server.json('PUT', '/policies/Seen.*', { approval: true })
  })
  afterAll(() => Promise.all([browser?.close(), server?.stop()]))

  /** The width that each picture of a page takes, by its tool: 0 where nothing of it is seen. */
  async function iconsOf(page: Page) {
    await page.waitForLoadState('networkidle')
    return Object.fromEntries(
      await page
        .locator('img.icon')
        .evaluateAll((all) =>
          all.map((each) => [/\.(\w+)%40/.exec(String(each.getAttribute('src')))?.[1], each.clientWidth > 0]),
        ),
    )
  }

  it('titles and icons in a browser appear in the catalog, and a missing icon shows no broken image', async () => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/?toolkit=Seen`)
    expect(await iconsOf(page)).toEqual({ dot: true, drawing: true, gone: false })
    await screenshot(page, 'icons-catalogue')
    const cards = await page.locator('.cards li').allInnerTexts()
    for (const { title = '' } of TOOLS) expect(cards.join('\n')).toContain(title)
    await leave()
  })

  it("titles and icons in a browser are at the top of a tool's page, with its name", async () => {
    const { page, leave } = await person(browser)
    for (const { name, title = 'Seen.plain', icons = [] } of TOOLS) {
      await page.goto(`${server.url}/console/tools/Seen.${name}`)
      expect((await page.getByRole('heading', { level: 1 }).innerText()).trim()).toBe(title)
      expect(await page.locator('main').innerText()).toContain(`Seen.${name}`)
      expect(await page.locator('img.icon').count()).toBe(icons.length)
    }
    await leave()
  })

  it('titles and icons in a browser are on the approval page, with the name', async () => {
    const { body } = await server.json('POST', '/tools/call', { tool_id: 'Seen.drawing', input: {} })
    const [{ url }] = body.missing_requirements.authorization
    const { page, leave } = await person(browser)
    await page.goto(url)
    await page.locator('img.icon').waitFor()
    expect(await iconsOf(page)).toEqual({ drawing: true })
    await screenshot(page, 'icons-approval')
    const text = await page.locator('main').innerText()
    for (const said of ['Seen.drawing@1.0.0', '“A drawing”']) expect(text).toContain(said)
    expect(await page.locator('[data-ran]').count()).toBe(0)
    await leave()
  })

  it('titles and icons in a browser run no script and request nothing if an icon is opened directly', async () => {
    const { page, context, leave } = await person(browser)
    const refused: string[] = []
    context.on('requestfailed', (request) => void refused.push(`${request.url()} ${request.failure()?.errorText}`))
    await page.goto(`${server.url}/tools/Seen.drawing/icon`)
    expect(await page.locator('svg rect').count()).toBe(1)
    expect(await page.locator('[data-ran]').count()).toBe(0)
    expect(refused).toEqual(['https://elsewhere.example/a.png csp'])
    await leave()
  })
})
