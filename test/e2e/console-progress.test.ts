import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { screens } from '../extent.ts'
import { type Gate, startGate } from './gate.ts'
import { launchBrowser, NO_BROWSER, person, textOf } from './oauth/browser.ts'
import { type RunningServer, startApp } from './server.ts'
import { screenshot } from './screenshot.ts'

/** What a person sees of a call that tells how far it is, while it runs. */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function violations(page: Page): Promise<readonly string[]> {
  const script = `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`
  return page.evaluate<string[]>(script)
}

const CODE = {
  definition: { name: 'Steps', description: 'Reports its steps.', inputSchema: { type: 'object' } },
  toolkit: 'Code',
  version: '1.0.0',
}

describe.skipIf(NO_BROWSER !== '')(`a call in a browser ${NO_BROWSER}`, () => {
  let gate: Gate
  let server: RunningServer
  let browser: Browser
  beforeAll(async () => {
    gate = await startGate()
    server = await startApp({ vars: { ALLOW_HTTP_HOSTS: gate.host } })
    browser = await launchBrowser()
    const module = `export default async (_, { progress }) => {
      for (const step of [1, 2, 3, 4, 5]) { await progress(step, 5, '<b>step</b> \\u202e' + step); await fetch('${gate.origin}') }
      return 'All is done'
    }`
    const implementation = { kind: 'code', module, allowed_hosts: [gate.host] }
    expect((await server.json('POST', '/tools', { ...CODE, implementation })).status).toBe(201)
    const silent = {
      toolkit: 'Code',
      version: '1.0.0',
      definition: { ...CODE.definition, name: 'Silent' },
      implementation: { ...implementation, module: `export default async () => { await fetch('${gate.origin}') }` },
    }
    expect((await server.json('POST', '/tools', silent)).status).toBe(201)
  })
  afterAll(() => Promise.all([server?.stop(), browser?.close(), gate?.close()]))
  beforeEach(() => {
    gate.arrived.length = 0
  })

  it.each(
    screens([
      { width: 1280, height: 900, javaScript: true },
      { width: 360, height: 740, javaScript: false },
      { width: 360, height: 740, javaScript: true },
    ]),
  )(
    'a call in a browser shows each step of a tool, and then its value, at $width px; with JavaScript: $javaScript',
    async (size) => {
      const { page, leave } = await person(browser, size)
      const faults: string[] = []
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      page.on('pageerror', (error) => faults.push(error.message))
      await page.setViewportSize(size)
      await page.goto(`${server.url}/console/tools/Fixture.Progress`)
      await page.getByLabel(/^gate/).fill(gate.origin)
      await page.getByRole('button', { name: 'Call tool' }).click({ noWaitAfter: true })
      const lines = page.locator('main progress:visible')
      for (const [index, step] of [0, 50, 100].entries()) {
        await page.getByText(`${step} of 100: Completed step ${step} of 100`, { exact: true }).waitFor()
        // The last alone, and nothing of what comes behind it yet
        expect(await lines.count()).toBe(1)
        expect(await page.getByRole('progressbar').getAttribute('value')).toBe(String(step))
        expect(await textOf(page)).not.toMatch(/Succeeded/)
        const button = page.getByRole('button', { name: 'Call tool' })
        expect(size.javaScript ? await button.isDisabled() : await button.isHidden()).toBe(true)
        if (size.javaScript) expect(await textOf(page)).toMatch(/\d s\s*Cancel/)
        if (step === 50) {
          // Its check is a script
          if (size.javaScript) expect(await violations(page)).toEqual([])
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
          await screenshot(page, `progress-${size.width}`)
        }
        await gate.come(index + 1)
        gate.open()
      }
      await page.getByText('Succeeded').waitFor()
      await page.waitForLoadState()
      expect(await lines.count()).toBe(0)
      const text = await textOf(page)
      for (const said of ['Done', 'Call from code']) expect(text).toContain(said)
      expect(await page.getByText('API requests of this page').isVisible()).toBe(true)
      expect(await page.getByLabel(/^gate/).inputValue()).toBe(gate.origin)
      if (size.javaScript) expect(await violations(page)).toEqual([])
      await screenshot(page, `progress-${size.width}-done`)
      expect(gate.arrived).toHaveLength(3)
      expect(faults).toEqual([])
      await leave()
    },
  )

  it('a call in a browser shows the steps of a module with special characters escaped', async () => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/console/tools/Code.Steps`)
    await page.getByRole('button', { name: 'Call tool' }).click({ noWaitAfter: true })
    for (const step of [1, 2, 3, 4, 5]) {
      await page.getByText(`${step} of 5: <b>step</b> \\u202e${step}`, { exact: true }).waitFor()
      await gate.come(step)
      gate.open()
    }
    await page.getByText('All is done').waitFor()
    await leave()
  })

  it('a call in a browser shows input errors before anything runs', async () => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/console/tools/Calculator.Add`)
    await page.getByRole('button', { name: 'Call tool' }).click()
    await page.getByText('Is required').first().waitFor()
    expect(await page.locator('.live').count()).toBe(0)
    await leave()
  })

  const countCancelled = async () => (await server.json('GET', '/calls?outcome=cancelled')).body.items.length

  it.each([
    ['Code.Silent', 'Calling…'],
    ['Fixture.Progress', '0 of 100: Completed step 0 of 100'],
  ])('a call of %s in a browser can be canceled and made again', async (tool, line) => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/console/tools/${tool}`)
    if (tool === 'Fixture.Progress') await page.getByLabel(/^gate/).fill(gate.origin)
    await page.getByRole('button', { name: 'Call tool' }).click()
    await page.getByText(line, { exact: true }).waitFor()
    await gate.come(1)
    const cancel = async () => {
      const count = await countCancelled()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('Cancelled. It may already have taken effect.').waitFor()
      // Otherwise, the tool could continue during the next test
      await expect.poll(countCancelled).toBe(count + 1)
    }
    await cancel()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Call tool' }).click()
    await gate.come(2)
    await cancel()
    await leave()
  })

  it('a call in a browser without JavaScript continues after the page is left', async () => {
    const { page, leave } = await person(browser, { javaScript: false })
    await page.goto(`${server.url}/console/tools/Fixture.Progress`)
    await page.getByLabel(/^gate/).fill(gate.origin)
    await page.getByRole('button', { name: 'Call tool' }).click({ noWaitAfter: true })
    await page.getByText('0 of 100: Completed step 0 of 100', { exact: true }).waitFor()
    await page.goto(`${server.url}/console/calls`)
    // Each is asked for once the one before has been answered
    for (const count of [1, 2, 3]) {
      await gate.come(count)
      gate.open()
    }
    expect(gate.arrived.map(({ url }) => url)).toEqual(['/?after=0', '/?after=50', '/?after=100'])
    await leave()
  })
})
