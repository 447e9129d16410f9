import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerProvider, launchBrowser, NO_BROWSER, openAndContinue, person, textOf } from './oauth/browser.ts'
import { connect, type Connected, startWorld, type World } from './oauth/switchboard.ts'
import { screens } from '../extent.ts'
import { type RunningServer, startApp } from './server.ts'
import { screenshot } from './screenshot.ts'

/** Every page of the console that can be opened by its address. */
const PATHS = [
  '/',
  '/?sort=calls',
  '/?view=tools',
  '/?q=add&toolkit=Calculator',
  '/?q=nothing-is-like-this',
  '/?versions=all&toolkit=Calculator',
  '/console/tools/Gmail.GetEmails',
  '/console/tools/Gmail.GetEmails?format=mcp',
  '/console/calls',
  '/console/calls?range=hour',
  '/console/usage',
  '/console/usage?by=principal',
  '/console/setup',
  '/console/connect',
  '/console/import',
  '/console/keys',
  '/console/keys?new=1',
  '/console/providers',
  '/console/providers?id=acme',
  '/console/versions',
  '/console/versions?status=active',
  '/console/toolsets',
  '/console/toolsets?name=sums',
  '/console/toolsets/sums',
  '/console/skills/Calculator/add-up',
  '/console/findings',
  '/console/policies',
  '/console/policies?pattern=Calculator.*',
  '/console/people',
  '/console/people?user=ann',
  '/console/agents',
  '/console/accounts',
  '/console/sign-ins',
  '/console/audit',
  '/console/nothing',
  '/docs',
  '/docs/operate',
  '/docs/settings',
  '/docs/reference',
  '/docs/reference/calls',
  '/docs/reference/tools',
  '/docs?q=keys',
]

const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 768, height: 1024, colorScheme: 'dark' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const
const DESKTOP_AND_PHONE = screens([SIZES[0], SIZES[2]])

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What an automatic check of accessibility finds wrong: each rule with the elements that break it. */
async function violations(page: Page): Promise<readonly string[]> {
  const script = `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`
  return page.evaluate<string[]>(script)
}

describe.skipIf(NO_BROWSER !== '')(`the console in a browser ${NO_BROWSER}`, () => {
  let server: RunningServer
  let browser: Browser
  beforeAll(async () => {
    server = await startApp()
    browser = await launchBrowser()
    // So that there is something to see
    await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
    await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 'x' } })
    await server.json('POST', '/keys', { name: 'an agent', scopes: ['tools:call'] })
    await server.json('PUT', '/policies/Calculator.*', {
      timeout_ms: 2_000,
      limits: { rate: { calls: 100, seconds: 60 } },
    })
    const sums = { instructions: 'Count', review: true, tools: [{ tool: 'Calculator.Add', name: 'Sum' }] }
    await server.json('PUT', '/toolsets/sums', sums)
    await server.json('PUT', '/toolsets/sums', { ...sums, instructions: 'Count aloud' })
    const text = '---\nname: add-up\ndescription: How to add up\n---\n\nUse `Calculator.Add`.\n'
    await server.json('PUT', '/toolkits/Calculator/skills/add-up', { files: { 'SKILL.md': text } })
    const calls = async () => (await server.json('GET', '/calls')).body.items.length
    // They are recorded behind their answers
    for (let waited = 0; waited < 300 && (await calls()) < 2; waited++)
      await new Promise((done) => setTimeout(done, 100))
  })
  afterAll(() => Promise.all([server?.stop(), browser?.close()]))

  it.each(screens(SIZES))(
    'the console in a browser has no errors on any page at $width px, $colorScheme, and requests no other host',
    async (size) => {
      const { context, page, leave } = await person(browser)
      const hosts = new Set<string>()
      const faults: string[] = []
      page.on('request', (request) => hosts.add(new URL(request.url()).origin))
      // Of an address that no page has Chromium says so itself
      const isOfStatus = (text: string) => text.includes('status of 404')
      page.on(
        'console',
        (message) => message.type() === 'error' && !isOfStatus(message.text()) && faults.push(message.text()),
      )
      page.on('pageerror', (error) => faults.push(error.message))
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: size.colorScheme })
      for (const [index, path] of PATHS.entries()) {
        await page.goto(server.url + path)
        await screenshot(page, `console-${size.width}-${index}`)
        expect([path, await violations(page)]).toEqual([path, []])
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect([path, width]).toEqual([path, size.width])
      }
      expect([...hosts]).toEqual([server.url])
      expect(faults).toEqual([])
      await context.close()
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser leads from a search to a tool with only the keyboard, at $width px',
    async (size) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width: size.width, height: size.height })
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
      await page.getByRole('heading', { name: 'Definition' }).click()
      await page.getByRole('link', { name: 'MCP', exact: true }).click()
      expect(await textOf(page)).toContain('"inputSchema"')
      await leave()
    },
  )

  it.each([true, false])(
    'the console in a browser opens its menu on a phone with the keyboard, with JavaScript: %j',
    async (javaScript) => {
      const { page, leave } = await person(browser, { javaScript })
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(`${server.url}/console/calls`)
      const link = page.getByRole('link', { name: 'API keys' })
      expect(await link.isVisible()).toBe(false)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(await link.isVisible()).toBe(true)
      expect(await page.getByRole('link', { name: 'Calls' }).getAttribute('aria-current')).toBe('page')
      if (javaScript) expect(await violations(page)).toEqual([])
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q')
      await page.keyboard.press('Escape')
      expect(await link.isVisible()).toBe(false)
      await leave()
    },
  )

  it.each(
    screens([
      { ...SIZES[0], javaScript: true },
      { ...SIZES[2], javaScript: false },
      { ...SIZES[2], javaScript: true },
    ]),
  )(
    'the console in a browser calls a tool after it showed an input error, at $width px; with JavaScript: $javaScript',
    async (size) => {
      const { width, height, javaScript } = size
      const { page, leave } = await person(browser, { javaScript })
      await page.setViewportSize({ width, height })
      await page.goto(`${server.url}/console/tools/Calculator.Add`)
      await page.getByLabel(/^a\b/).fill('ten')
      await page.getByRole('button', { name: 'Call tool' }).click()
      await page.getByText('2 values need a correction: a, b').waitFor()
      expect(await textOf(page)).toMatch(/Must be a number[^]*Is required/)
      expect(await page.getByLabel(/^a\b/).getAttribute('aria-invalid')).toBe('true')
      if (javaScript) expect(await violations(page)).toEqual([])
      expect(await page.getByLabel(/^a\b/).inputValue()).toBe('ten')
      await page.getByLabel(/^a\b/).fill('10')
      await page.getByLabel(/^b\b/).fill('5')
      await page.getByRole('button', { name: 'Call tool' }).click()
      await page.getByText('Succeeded').waitFor()
      expect(await textOf(page)).toMatch(/Succeeded[^]*\n15\n/)
      if (javaScript) expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      await screenshot(page, 'console-called')
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser creates a key, shows it once, and revokes it, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const name = `made at ${width}`
      await page.goto(`${server.url}/console/keys`)
      await page.getByRole('link', { name: 'Create key' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel(/^Tools\b/).fill('Calculator.*')
      await page.getByRole('button', { name: 'Create key' }).click()
      const [key = ''] = /sb_[\w-]{43}/.exec(await textOf(page)) ?? []
      expect(await violations(page)).toEqual([])
      const headers = { authorization: `Bearer ${key}` }
      expect((await server.json('GET', '/tools', undefined, headers)).body.items).toHaveLength(2)
      await page.goto(`${server.url}/console/keys`)
      expect(await page.content()).not.toContain(key)
      const row = page.getByRole('row', { name })
      await row.getByRole('button', { name: `Revoke “${name}”` }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Revoke “${name}”` })
        .click()
      await page.waitForURL(/done=revoked/)
      expect(await page.getByRole('row', { name }).count()).toBe(0)
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser changes only the edited fields of a key, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const [name, expires_at] = [`changed at ${width}`, '2031-05-01T08:00:00.000Z']
      const made = await server.json('POST', '/keys', { name, scopes: ['tools:read'], tools: [], expires_at })
      await page.goto(`${server.url}/console/keys`)
      await page.getByRole('link', { name }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(`renamed at ${width}`)
      await page.getByText('Limits and recording').click()
      await page.getByLabel(/^Calls/).fill('5')
      await page.getByLabel(/^Seconds/).fill('60')
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Save key' }).click()
      await page.waitForURL(/done=changed/)
      expect((await server.json('GET', `/keys/${made.body.id}`)).body).toMatchObject({
        name: `renamed at ${width}`,
        tools: [],
        users: [],
        expires_at,
        limits: { rate: { calls: 5, seconds: 60 } },
      })
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser adds a provider and changes it, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const id = `acme${width}`
      await page.goto(`${server.url}/console/providers`)
      await page.getByLabel(/^ID/).fill(id)
      await page.getByLabel(/^Issuer/).fill('https://login.acme.com')
      await page.getByLabel('Client ID').fill('c')
      await page.getByText('Advanced settings').click()
      await page.getByLabel(/^Scope separator/).fill(',')
      await page.getByLabel(/^Authorization parameters/).fill('access_type=offline')
      await page.getByRole('button', { name: 'Add provider' }).click()
      await page.waitForURL(/done=1/)
      await page.getByRole('link', { name: `Edit provider ${id}` }).click()
      await page.getByLabel(/^Name/).fill('Acme')
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Save provider' }).click()
      await page.waitForURL(/done=1/)
      expect((await server.json('GET', `/providers/${id}`)).body).toEqual({
        id,
        name: 'Acme',
        issuer: 'https://login.acme.com',
        client_id: 'c',
        scope_separator: ',',
        authorization_parameters: { access_type: 'offline' },
      })
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser previews an import, and then imports, at $width px',
    async (size) => {
      const { page, leave } = await person(browser)
      const { width, height } = size
      await page.setViewportSize({ width, height })
      const toolkit = `Rates${width}`
      await page.goto(`${server.url}/console/import`)
      const description = {
        openapi: '3.1.0',
        info: { title: 'Rates', version: '1.0.0' },
        servers: [{ url: 'https://rates.test' }],
        paths: { '/latest': { get: { operationId: 'Latest', responses: { 200: { description: 'Rates' } } } } },
      }
      await page.getByLabel(/^Source a URL/).fill(JSON.stringify(description))
      await page.getByLabel(/^Toolkit/).fill(toolkit)
      await page.getByRole('button', { name: 'Preview import' }).click()
      expect(await textOf(page)).toMatch(/Nothing is imported yet[^]*1 new[^]*Latest[^]*GET \/latest/)
      expect(await violations(page)).toEqual([])
      expect((await server.json('GET', `/tools/${toolkit}.Latest`)).status).toBe(404)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      await screenshot(page, `console-import-${width}`)
      const box = page.getByRole('checkbox', { name: 'Latest GET /latest' })
      await page.getByRole('searchbox', { name: 'Filter tools' }).fill('latest')
      await page.getByRole('button', { name: 'Leave out these tools' }).click()
      expect(await box.isChecked()).toBe(false)
      await page.getByRole('button', { name: 'Import 0 tools' }).waitFor()
      await page.getByRole('searchbox', { name: 'Filter tools' }).fill('weather')
      await box.waitFor({ state: 'hidden' })
      await page.getByRole('searchbox', { name: 'Filter tools' }).fill('')
      await page.getByRole('button', { name: 'Choose these tools' }).click()
      await page.getByRole('button', { name: 'Import 1 tool' }).click()
      expect(await textOf(page)).toContain('1 tool imported')
      expect((await server.json('GET', `/tools/${toolkit}.Latest`)).status).toBe(200)
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser creates a toolset, approves a change to it, disables it and deletes it, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const name = `mail${width}`
      const write = async (definition: object) => {
        await page.getByLabel(/^Definition/).fill(JSON.stringify(definition))
        await page.getByRole('button', { name: 'Save toolset' }).click()
      }
      const stored = async () => (await server.json('GET', `/toolsets/${name}`)).body
      await page.goto(`${server.url}/?toolkit=Calculator`)
      await page.getByRole('link', { name: 'New toolset of these tools' }).click()
      expect(await page.getByLabel(/^Definition/).inputValue()).toContain('"tool": "Calculator.*"')
      await page.getByLabel(/^Name/).fill(name)
      const definition = { instructions: 'Ask first', review: true, tools: [{ tool: 'Calculator.Add' }] }
      await write({ ...definition, tools: [{ tool: 'no tool' }, { tool: 'nor this' }] })
      expect(await textOf(page)).toContain("at 'tools[1].tool': Must be a tool")
      expect(await violations(page)).toEqual([])
      await write({ ...definition, tools: [...definition.tools, { tool: 'Nothing.*' }] })
      await page.getByText("No tool matches 'Nothing.*' now").waitFor()
      expect(await violations(page)).toEqual([])

      await page.getByRole('link', { name: 'Edit' }).click()
      await write({ ...definition, instructions: 'Never ask' })
      await page.waitForURL(/done=pending/)
      expect(await textOf(page)).toMatch(/Ask first[^]*Never ask[^]*Approve/)
      expect((await stored()).instructions).toBe('Ask first')
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForURL(/done=saved/)
      expect(await stored()).toMatchObject({ instructions: 'Never ask', revision: 2 })

      await page.getByRole('button', { name: 'Disable' }).click()
      await page.waitForURL(/done=pending/)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForURL(/done=saved/)
      expect(await stored()).toMatchObject({ enabled: false, revision: 3 })
      await server.json('POST', '/keys', { name: `has ${name}`, scopes: ['tools:call'], toolset: name })
      await page.reload()
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.innerText()).toContain(`“has ${name}”`)
      expect(await violations(page)).toEqual([])
      await dialog.getByRole('button', { name: `Delete ${name}` }).click()
      await page.waitForURL(/done=removed/)
      expect(await page.getByRole('link', { name }).count()).toBe(0)
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser sets a policy, changes it, and removes it, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const pattern = `Mail${width}.*`
      await page.goto(`${server.url}/console/policies`)
      await page.getByLabel(/^Pattern/).fill(pattern)
      await page.getByRole('button', { name: 'Save policy' }).click()
      expect(await page.getByRole('alert').innerText()).toContain('Must have at least one setting')
      expect(await page.getByLabel(/^Pattern/).inputValue()).toBe(pattern)
      await page.getByLabel(/^Security level/).fill('8')
      await page.getByLabel(/^Calls/).fill('5')
      await page.getByLabel(/^Seconds/).fill('60')
      await page.getByRole('button', { name: 'Save policy' }).click()
      await page.waitForURL(/done=set/)
      const policy = () => server.json('GET', `/policies/${pattern}`)
      expect((await policy()).body).toEqual({ pattern, security_level: 8, limits: { rate: { calls: 5, seconds: 60 } } })
      await page.getByRole('link', { name: `Edit policy for ${pattern}` }).click()
      await page.getByLabel(/^Security level/).fill('')
      await page.getByRole('checkbox', { name: /^Approval/ }).check()
      await page.getByRole('button', { name: 'Save policy' }).click()
      await page.waitForURL(/done=set/)
      expect((await policy()).body).toMatchObject({ pattern, approval: true })
      const item = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: pattern }) })
      await item.getByRole('button', { name: 'Remove policy' }).click()
      expect(await violations(page)).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: 'Remove policy' }).click()
      await page.waitForURL(/done=removed/)
      expect((await policy()).status).toBe(404)
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser disables a version and activates it again, at $width px',
    async ({ width, height }) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width, height })
      const id = 'System.GetTimestamp@1.0.0'
      const status = async () => (await server.json('GET', `/tools/${id}/versions`)).body.items[0].status
      for (const [from, button, to] of [
        ['active', 'Disable', 'disabled'],
        ['disabled', 'Activate', 'active'],
      ] as const) {
        await page.goto(`${server.url}/console/versions`)
        await page.getByRole('link', { name: new RegExp(`^${from}`, 'i') }).click()
        await page.getByLabel('Toolkit').fill('System')
        await page.getByRole('button', { name: 'Show' }).click()
        const item = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: id }) })
        await item.getByText('Change status').click()
        expect(await violations(page)).toEqual([])
        await screenshot(page, `console-${from}-${width}`)
        await item.getByRole('button', { name: button }).click()
        await page.waitForURL(/done=1/)
        expect(await page.getByRole('link', { name: id }).count()).toBe(0)
        expect(await status()).toBe(to)
      }
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    'the console in a browser disables a toolkit, says that its versions stay disabled, and activates it, at $width px',
    async (size) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width: size.width, height: size.height })
      const id = 'System.GetTimestamp@1.0.0'
      const status = async () => (await server.json('GET', `/tools/${id}/versions`)).body.items[0].status
      await page.goto(`${server.url}/console/versions?status=active&toolkit=System`)
      const [panel, cards] = await Promise.all(['.panel', '.cards'].map((each) => page.locator(each).boundingBox()))
      expect((cards?.y ?? 0) - (panel?.y ?? 0) - (panel?.height ?? 0)).toBeGreaterThan(8)
      await page.getByText('Change toolkit').click()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.waitForURL(/done=1/)
      expect(await status()).toBe('disabled')
      await page.getByRole('link', { name: /^Disabled/ }).click()
      const item = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: id }) })
      await item.getByText('Change status').click()
      await item.getByRole('button', { name: 'Activate' }).click()
      await page.getByText('It stays disabled').waitFor()
      await page.getByRole('link', { name: 'the toolkit', exact: true }).click()
      await page.getByText('Change toolkit').click()
      await page.getByRole('button', { name: 'Activate' }).click()
      await page.waitForURL(/done=1/)
      expect(await status()).toBe('active')
      await leave()
    },
  )

  it.each(DESKTOP_AND_PHONE)(
    "the console in a browser shows full table rows at $width px, with times in the reader's time zone",
    async (size) => {
      const { page, leave } = await person(browser)
      await page.setViewportSize({ width: size.width, height: size.height })
      const cut = () =>
        page.evaluate(
          () => [...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).length,
        )
      for (const path of ['/console/calls', '/console/audit', '/console/keys']) {
        await page.goto(server.url + path)
        expect([path, await cut()]).toEqual([path, 0])
      }
      await page.goto(`${server.url}/console/calls`)
      const time = page.locator('td time').first()
      const at = await time.getAttribute('datetime')
      const local = `new Date(${JSON.stringify(at)}).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })`
      const [exact = '', utc] = (await time.getAttribute('title'))?.split(' (') ?? []
      expect(exact).toBe(await page.evaluate(local))
      expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/)
      expect(await time.innerText()).toMatch(/^\d+ (?:second|minute)s? ago$/)
      await page.getByRole('row').nth(1).locator('a.whole').click()
      await page.getByRole('link', { name: 'Call again' }).waitFor()
      expect(await page.locator('main').innerText()).toContain('Digest')
      expect(await violations(page)).toEqual([])
      expect(await cut()).toBe(0)
      await leave()
    },
  )

  it('the console in a browser shows guides with readable line lengths, and code at full width', async () => {
    const { page, leave } = await person(browser)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${server.url}/docs/operate`)
    const widthOf = async (what: string) => (await page.locator(what).first().boundingBox())?.width ?? 0
    expect(await widthOf('main p:not(.note)')).toBeLessThan(720)
    for (const wide of ['pre', '.contents']) expect(await widthOf(wide)).toBeGreaterThan(900)
    const sizeOf = (what: string) =>
      page
        .locator(what)
        .first()
        .evaluate((each) => Number.parseFloat(getComputedStyle(each).fontSize))
    expect(await sizeOf('main > h2')).toBeGreaterThan(await sizeOf('main > h3'))
    await leave()
  })

  it('the console in a browser copies texts with one click', async () => {
    const { context, page, leave } = await person(browser)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${server.url}/console/tools/Calculator.Add`)
    await page.getByRole('heading', { name: 'Call from code' }).click()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`curl '${server.url}/tools/call'`)
    await leave()
  })

  it.each([true, false])(
    'the console in a browser converts a filled form to JSON and back, with JavaScript: %j',
    async (javaScript) => {
      const { page, leave } = await person(browser, { javaScript })
      await page.goto(`${server.url}/console/tools/Calculator.Add`)
      await page.locator('[name="input/a"]').fill('1')
      await page.getByRole('button', { name: 'Edit as JSON' }).click()
      const json = page.getByLabel('Input')
      expect(JSON.parse(await json.inputValue())).toEqual({ a: 1 })
      await json.fill('{"a": 1, "b": 2, "c": 3}')
      await page.getByRole('button', { name: 'Edit as form' }).click()
      await page.getByText('c The form cannot hold 3, which the JSON had').waitFor()
      expect(await page.locator('[name="input/b"]').inputValue()).toBe('2')
      if (javaScript) expect(await violations(page)).toEqual([])
      await leave()
    },
  )

  it('the console in a browser downloads a result', async () => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/console/tools/Calculator.Add`)
    await page.locator('[name="input/a"]').fill('1')
    await page.locator('[name="input/b"]').fill('2')
    await page.getByRole('button', { name: 'Call tool' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('result.json')
    expect(readFileSync(await download.path(), 'utf8')).toBe('3')
    await leave()
  })

  it('the console in a browser focuses the first field with an error', async () => {
    const { page, leave } = await person(browser)
    await page.goto(`${server.url}/console/tools/Calculator.Add`)
    await page.locator('[name="input/a"]').fill('1')
    await page.getByRole('button', { name: 'Call tool' }).click()
    await page.locator('[name="input/b"]:focus').waitFor({ timeout: 10_000 })
    await leave()
  })

  it('the console in a browser works without JavaScript', async () => {
    const { page, leave } = await person(browser, { javaScript: false })
    await page.goto(server.url)
    await page.getByRole('main').getByLabel('Search tools').fill('timestamp')
    await page.getByRole('combobox', { name: 'Toolkit' }).selectOption('System')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'System.GetTimestamp' }).click()
    expect(await page.title()).toContain('System.GetTimestamp')
    await page.goto(`${server.url}/console/calls`)
    await page.getByLabel('Outcome').selectOption('Success')
    await page.getByLabel('Time range').selectOption('Last hour')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await page.locator('td time').first().innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    expect(await page.getByText('Times are UTC.').isVisible()).toBe(true)
    await leave()
  })
})

describe.skipIf(NO_BROWSER !== '')(`a challenge in the console ${NO_BROWSER}`, () => {
  let world: World
  let edge: Connected
  let browser: Browser
  beforeAll(async () => {
    world = await startWorld()
    edge = await connect(world)
    browser = await launchBrowser()
  })
  afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close()]))

  it.each(DESKTOP_AND_PHONE)(
    'a challenge in the console leads through consent and back to the same call, at $width px',
    async ({ width, height }) => {
      const key = await edge.keyFor('any')
      const who = await person(browser)
      const { page, context, leave } = who
      await page.setViewportSize({ width, height })
      await page.goto(`${edge.server.url}/console/tools/Mail.GetEmails`)
      await page.getByLabel('Your API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(/Mail\.GetEmails/)
      await page.getByLabel(/^User\b/).fill(`ann-${width}`)
      await page.getByRole('button', { name: 'Call tool' }).click()
      const link = page.getByRole('link', { name: 'Connect mail' }).last()
      await page.getByText('This page continues by itself').waitFor()
      expect(await violations(page)).toEqual([])
      const other = { ...who, page: await context.newPage() }
      await openAndContinue(other, (await link.getAttribute('href')) ?? '')
      await answerProvider(other, `ann-${width}`)
      await other.page.waitForURL(/\/oauth\/callback/)
      expect(await page.getByLabel(/^User\b/).inputValue()).toBe(`ann-${width}`)
      await page.getByText('Succeeded').waitFor()
      await leave()
    },
  )
})
