import { randomBytes } from 'node:crypto'
import { createServer, type Server as HttpServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, newAgent, redeem, rpc, type Tokens } from './oauth/agent.ts'
import { answerProvider, launchBrowser, NO_BROWSER, person, textOf, violations } from './oauth/browser.ts'
import { type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import { close, listen } from './oauth/provider.ts'
import { screenshot } from './screenshot.ts'

describe.skipIf(NO_BROWSER !== '')(`a person with a browser ${NO_BROWSER}`, () => {
  let world: ConnectWorld
  let client: HttpServer
  let callback: string
  let browser: Browser

  beforeAll(async () => {
    world = await startConnectWorld()
    client = createServer((_, response) => response.end('You can go back to your agent'))
    callback = `http://127.0.0.1:${await listen(client, 0)}/callback`
    browser = await launchBrowser()
  })
  afterAll(() => Promise.all([world?.stop(), client && close(client), browser?.close()]))

  it('a person with a browser signs in, chooses toolkits, allows, and returns to their agent, without JavaScript', async () => {
    const { url } = world.server
    const agent = await newAgent(url, callback)
    const ann = await person(browser, { javaScript: false })
    const { page } = ann
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(authorizeUrl(agent))
    await answerProvider(ann, 'ann')
    await page.waitForURL(/\/connect\/authorize/)
    const text = await textOf(page)
    for (const said of ['A test agent', new URL(callback).host, 'ann@acme.test', 'own computer', 'Calculator']) {
      expect(text).toContain(said)
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await screenshot(page, 'connect')
    // Nothing is chosen for them
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await textOf(page)).toContain('Select at least one toolkit')
    await page.getByRole('checkbox', { name: /Calculator/ }).check()
    await page.getByLabel('Access expires after').selectOption('7')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((at) => at.href.startsWith(callback))
    const came = new URL(page.url()).searchParams
    expect([came.get('state'), came.get('iss')]).toEqual(['a-state', `${url}/connect`])
    const tokens: Tokens = await (await redeem(agent, came.get('code') ?? '')).json()
    expect((await rpc(url, tokens.access_token, 'tools/list')).status).toBe(200)

    await page.goto(authorizeUrl(agent))
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL((at) => at.href.startsWith(callback))
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    await ann.leave()
  })

  it('a person with a browser filters toolkits, and selects all results or none', async () => {
    const agent = await newAgent(world.server.url, callback)
    const ann = await person(browser)
    const { page } = ann
    await page.goto(authorizeUrl(agent))
    await answerProvider(ann, 'ann')
    const boxes = page.getByRole('list').getByRole('checkbox')
    const checked = page.getByRole('list').getByRole('checkbox', { checked: true })
    const find = page.getByLabel('Find a toolkit or tool')
    const all = await boxes.count()
    expect(all).toBeGreaterThan(1)
    await page.getByLabel('Access expires after').selectOption('7')
    await find.fill('calc add')
    await find.press('Enter')
    await page.getByRole('button', { name: 'Select 1 found', exact: true }).click()
    await page.getByText('1 of').waitFor()
    expect([await boxes.count(), await checked.count()]).toEqual([1, 1])
    await find.fill('')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('Select all').waitFor()
    expect([await boxes.count(), await checked.count()]).toEqual([all, 1])
    const tools = page.getByRole('button', { name: /tools? of Calculator$/ })
    await tools.click()
    await page.getByText(/\bAdd\b/).waitFor()
    expect([await tools.getAttribute('aria-expanded'), await checked.count()]).toEqual(['true', 1])
    await page.getByRole('button', { name: 'Select all' }).click()
    await page.getByText(`${all} of ${all} selected`).waitFor()
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.getByText('0 of').waitFor()
    expect([await checked.count(), await page.getByLabel('Access expires after').inputValue()]).toEqual([0, '7'])
    expect(await violations(page)).toEqual([])
    await ann.leave()
  })

  it('a person with a browser returns from sign-in with a long request, and is told before if a request is too long', async () => {
    const { url } = world.server
    const state = randomBytes(3_072).toString('base64')
    const redirect = `${callback}/${'x'.repeat(1_000)}`
    const agent = await newAgent(url, redirect)
    const bob = await person(browser)
    const { page } = bob
    await page.goto(authorizeUrl(agent, { state: state.repeat(2) }))
    expect(await textOf(page)).toContain('too long')

    const asked = authorizeUrl(agent, { state })
    expect(asked.length).toBeGreaterThan(5_500)
    await page.goto(asked)
    await answerProvider(bob, 'bob')
    await page.waitForURL(/\/connect\/authorize/)
    expect(page.url()).toBe(asked)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL((at) => at.href.startsWith(redirect))
    expect(new URL(page.url()).searchParams.get('state')).toBe(state)
    // Nothing of the way there is left
    expect((await bob.context.cookies(url)).map(({ name }) => name)).toEqual(['switchboard-session'])
    await bob.leave()
  })

  it('a person with a browser cannot be made to allow an agent by a page of another site', async () => {
    const { url } = world.server
    const agent = await newAgent(url, callback)
    const bob = await person(browser)
    const { page } = bob
    await page.goto(authorizeUrl(agent))
    await answerProvider(bob, 'bob')
    await page.waitForURL(/\/connect\/authorize/)
    const target = authorizeUrl(agent).replaceAll('&', '&amp;')
    const form = `<form method="post" action="${target}"><input name="toolkit.Calculator" value="1">
      <input name="days" value="7"><button name="decision" value="allow">Win</button></form>`
    await page.goto(callback)
    await page.setContent(form)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForURL(/\/connect\/authorize/)
    expect(await textOf(page)).not.toContain('go back to your agent')
    expect(page.url()).not.toContain('code=')
    // Nor framed, where it could be covered
    await page.goto(callback)
    await page.setContent(`<iframe src="${target}" style="width:300px;height:300px"></iframe>`)
    await page.waitForTimeout(500)
    const framed = page.frames().find((frame) => frame !== page.mainFrame())
    expect(
      await framed
        ?.getByRole('button')
        .count()
        .catch(() => 0),
    ).toBe(0)
    await bob.leave()
  })
})
