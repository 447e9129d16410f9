import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, NO_BROWSER, person, textOf } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type RunningServer, startApp } from './server.ts'
import { screenshot } from './screenshot.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

let server: RunningServer
let browser: Browser | undefined

beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => Promise.all([server?.stop(), browser?.close()]))

async function makeKey(more: object = {}): Promise<{ id: string; key: string }> {
  const { status, body } = await server.json('POST', '/keys', { name: 'ann', scopes: ['tools:read'], ...more }, asAdmin)
  expect(status).toBe(201)
  return body
}
const signIn = async (who: HttpPerson, key: string) =>
  who.press(await who.open(`${server.url}/sign-in`), /Sign in/, { key })
const sessions = async (who: HttpPerson) => {
  const { status, text } = await who.open(`${server.url}/sessions`)
  return { status, items: JSON.parse(text).items }
}

it('signing in with an API key, without a provider, acts as that key until it is deleted', async () => {
  const { id, key } = await makeKey()
  const ann = new HttpPerson()
  const page = await signIn(ann, key)
  expect(page).toMatchObject({
    status: 200,
    url: `${server.url}/sign-in`,
    text: expect.stringContaining(`key:${id}`),
  })
  expect(page.text).not.toContain(key)
  const { items } = await sessions(ann)
  expect(items).toMatchObject([{ principal: `key:${id}`, origin: server.url }])
  expect(JSON.stringify(items)).not.toMatch(/[0-9a-f]{64}/)
  expect((await server.json('DELETE', `/keys/${id}`, undefined, asAdmin)).status).toBe(204)
  expect((await sessions(ann)).status).toBe(401)
})

it('signing in with an API key, without a provider, is for administrators with ADMIN_KEY', async () => {
  const root = new HttpPerson()
  await signIn(root, ADMIN_KEY)
  expect((await sessions(root)).items).toEqual(
    expect.arrayContaining([expect.objectContaining({ principal: 'admin' })]),
  )
})

it.each(['', 'x', `sb_${'x'.repeat(43)}`, 'an-administrators-key-2', 'eyJhbGciOiJIUzI1NiJ9.e30.x'])(
  'signing in with an API key, without a provider, is refused with %j',
  async (key) => {
    const who = new HttpPerson()
    const page = await signIn(who, key)
    expect(page.status).toBe(403)
    expect(page.text).toContain('This key is wrong')
    if (key !== '') expect(page.text).not.toContain(`value="${key}"`)
    expect((await sessions(who)).status).toBe(401)
  },
)

it('signing in with an API key, without a provider, is refused with an expired key, and ends when the key expires', async () => {
  const { key } = await makeKey({ expires_at: new Date(Date.now() + 1_500).toISOString() })
  const who = new HttpPerson()
  await signIn(who, key)
  await expect.poll(async () => (await sessions(who)).status).toBe(401)
  expect((await signIn(new HttpPerson(), key)).status).toBe(403)
})

it("signing in with an API key, without a provider, only accepts Switchboard's own form, by POST", async () => {
  const { key } = await makeKey()
  const who = new HttpPerson()
  const evil = await who.post(`${server.url}/sign-in/key`, { key }, { origin: 'https://evil.test' })
  expect(evil.status).toBe(403)
  await who.open(`${server.url}/sign-in/key?key=${key}`)
  expect((await sessions(who)).status).toBe(401)
  const away = await who.post(`${server.url}/sign-in/key`, { key, return: '//evil.test' }, { origin: server.url })
  expect(away.status).toBe(400)
})

it.skipIf(NO_BROWSER !== '')(
  `signing in with an API key, without a provider, works in Chromium, on a narrow screen and without JavaScript ${NO_BROWSER}`,
  async () => {
    browser = await launchBrowser()
    const { id, key } = await makeKey()
    const who = await person(browser, { javaScript: false })
    await who.page.setViewportSize({ width: 360, height: 740 })
    await who.page.goto(`${server.url}/sign-in?return=${encodeURIComponent('/sign-in?from=here')}`)
    expect(await who.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await screenshot(who.page, 'sign-in-key')
    await who.page.getByLabel('Your API key').fill('sb_wrong')
    await who.page.getByRole('button', { name: 'Sign in' }).click()
    expect(await textOf(who.page)).toContain('This key is wrong')
    await who.page.getByLabel('Your API key').fill(key)
    await who.page.getByRole('button', { name: 'Sign in' }).click()
    await who.page.waitForURL(`${server.url}/sign-in?from=here`)
    expect(await textOf(who.page)).toContain(`key:${id}`)
    await who.leave()
  },
)
