import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerProvider, launchBrowser, NO_BROWSER, person, textOf } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { startProvider, type TestProvider } from './oauth/provider.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { type Server, startServer } from './server.ts'
import { screenshot } from './screenshot.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const RULES = [
  { domain: 'acme.test', toolkits: ['Calculator'] },
  { group: 'platform', scopes: ['admin'] },
]

let provider: TestProvider
let server: Server
let browser: Browser | undefined

beforeAll(async () => {
  provider = await startProvider()
  for (const name of ['ann', 'bob', 'eve', 'root']) {
    provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  }
  provider.claims['eve'] = { email: 'eve@acme.test.evil.test', email_verified: true }
  provider.claims['root'] = { email: 'root@other.test', email_verified: true, groups: ['platform'] }
  provider.claims['unverified'] = { email: 'ann@acme.test', email_verified: false }
  server = await start(RULES)
})
afterAll(() => Promise.all([server?.stop(), provider?.close(), browser?.close()]))

async function start(rules: readonly object[], again?: Pick<Server, 'persistTo' | 'url'>): Promise<Server> {
  const started = await startServer({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      ALLOW_HTTP_HOSTS: provider.host,
      ...signInVars(provider, rules),
    },
    ...(again ? { persistTo: again.persistTo, port: Number(new URL(again.url).port) } : {}),
  })
  provider.allowRedirectTo(`${started.url}/sign-in/callback`)
  return started
}

/** What a person's browser is shown at a path, as by typing its address. */
const sessionsOf = async (who: HttpPerson) => {
  const { status, text } = await who.open(`${server.url}/sessions`)
  return { status, body: JSON.parse(text) }
}

it('signing in with a provider starts a session as the verified e-mail address', async () => {
  const ann = new HttpPerson()
  const ended = await signIn(ann, server.url, 'ann')
  expect(ended).toMatchObject({ status: 200, url: `${server.url}/sign-in` })
  expect(ended.text).toContain('ann@acme.test')
  expect(provider.opened.at(-1)?.get('code_challenge_method')).toBe('S256')
  expect(provider.opened.at(-1)?.get('nonce')).toMatch(/.{20}/)
  const { status, body } = await sessionsOf(ann)
  expect(status).toBe(200)
  expect(body.items).toEqual([
    {
      id: expect.any(String),
      principal: 'person:ann@acme.test',
      user_id: 'ann@acme.test',
      origin: server.url,
      browser: expect.any(String),
      created_at: expect.any(String),
      expires_at: expect.any(String),
      current: true,
    },
  ])
  const [{ created_at, expires_at }] = body.items
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(12 * 3_600_000)
})

it.each([
  ['eve', 403, 'SIGN_IN_RULES grants'],
  ['unverified', 403, 'no verified e-mail address'],
  ['nobody-in-particular', 403, 'no verified e-mail address'],
])('signing in with a provider is refused for %s', async (account, status, why) => {
  const who = new HttpPerson()
  const ended = await signIn(who, server.url, account)
  expect(ended.status).toBe(status)
  expect(ended.text).toContain(why)
  expect((await sessionsOf(who)).status).toBe(401)
})

it('signing in with a provider fails if the provider refuses or does not respond', async () => {
  const who = new HttpPerson()
  const asked = await who.open(`${server.url}/sign-in`)
  const denied = await who.press(asked, /Cancel/)
  expect(denied).toMatchObject({ status: 403, text: expect.stringContaining('Access was refused') })
  await provider.fail('error')
  const login = await new HttpPerson().open(`${server.url}/sign-in`)
  expect([502, 500]).toContain(login.status)
  await provider.fail('none')
  expect((await sessionsOf(who)).status).toBe(401)
})

it.skipIf(NO_BROWSER !== '')(
  `signing in with a provider returns to where the person came from, in Chromium ${NO_BROWSER}`,
  async () => {
    browser = await launchBrowser()
    const who = await person(browser, { javaScript: false })
    await who.page.setViewportSize({ width: 360, height: 740 })
    await who.page.goto(`${server.url}/sign-in?return=${encodeURIComponent('/sign-in?x=1')}`)
    await answerProvider(who, 'bob')
    await who.page.waitForURL(`${server.url}/sign-in?x=1`)
    await who.page.goto(`${server.url}/sessions`)
    expect(await who.page.content()).toContain('person:bob@acme.test')
    await who.page.goto(`${server.url}/sign-in`)
    expect(await textOf(who.page)).toContain('bob@acme.test')
    expect(await who.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await screenshot(who.page, 'signed-in')
    const [cookie] = (await who.context.cookies()).filter(({ name }) => name.includes('session'))
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    await who.page.getByRole('button', { name: 'Sign out' }).click()
    expect(await textOf(who.page)).toContain('signed out')
    await screenshot(who.page, 'signed-out')
    await who.page.goto(`${server.url}/sessions`)
    expect(await who.page.content()).toContain('Present a credential')
    await who.leave()
  },
)

it('a session is seen and ended only by its owner and by administrators', async () => {
  const [ann, bob, root] = [new HttpPerson(), new HttpPerson(), new HttpPerson()]
  await signIn(ann, server.url, 'ann')
  await signIn(bob, server.url, 'bob')
  await signIn(root, server.url, 'root')
  const of = (body: { items: { principal: string; id: string }[] }, who: string) =>
    body.items.filter(({ principal }) => principal === `person:${who}`)
  const annsOwn = (await sessionsOf(ann)).body
  expect(of(annsOwn, 'ann@acme.test')).toHaveLength(annsOwn.items.length)
  const all = (await server.json('GET', '/sessions', undefined, asAdmin)).body
  expect(of(all, 'bob@acme.test').length).toBeGreaterThan(0)
  expect((await sessionsOf(root)).body.items).toHaveLength(all.items.length)

  const [bobs] = (await sessionsOf(bob)).body.items.slice(-1)
  const end = (who: HttpPerson, id: string) => who.send('DELETE', `${server.url}/sessions/${id}`)
  expect((await end(ann, bobs.id)).status).toBe(404)
  expect((await end(ann, 'made-up')).status).toBe(404)
  expect((await sessionsOf(bob)).status).toBe(200)
  expect((await end(bob, bobs.id)).status).toBe(204)
  expect((await sessionsOf(bob)).status).toBe(401)
  for (const { id } of of(all, 'ann@acme.test')) {
    expect((await server.json('DELETE', `/sessions/${id}`, undefined, asAdmin)).status).toBe(204)
  }
  expect((await sessionsOf(ann)).status).toBe(401)
})

it('a session ends with signing out, whatever cookies the browser keeps', async () => {
  const ann = new HttpPerson()
  const page = await signIn(ann, server.url, 'ann')
  const thief = ann.copy()
  expect((await sessionsOf(thief)).status).toBe(200)
  expect((await ann.press(page, /Sign out/)).text).toContain('signed out')
  expect((await sessionsOf(thief)).status).toBe(401)
})

it('a session is replaced by a new one at each sign-in', async () => {
  const ann = new HttpPerson()
  await signIn(ann, server.url, 'ann')
  const before = ann.copy()
  const again = await ann.open(`${server.url}/sign-in?again=1`)
  const { answerSignIn } = await import('./oauth/sign-in.ts')
  expect((await answerSignIn(ann, again, 'ann')).status).toBe(200)
  expect((await sessionsOf(ann)).status).toBe(200)
  expect((await sessionsOf(before)).status).toBe(401)
})

it('a session cannot be used on routes that call, publish or administer', async () => {
  const root = new HttpPerson()
  await signIn(root, server.url, 'root')
  for (const path of ['/keys', '/providers', '/tools', '/users/root@other.test/grants', '/worker/tools']) {
    expect((await root.open(`${server.url}${path}`)).status, path).toBe(401)
  }
  expect((await root.send('POST', `${server.url}/tools/call`)).status).toBe(401)
})

it('changed rules apply to existing sessions', async () => {
  const ann = new HttpPerson()
  await signIn(ann, server.url, 'ann')
  expect((await sessionsOf(ann)).status).toBe(200)
  await server.stop({ keep: true })
  server = await start(RULES, server)
  expect((await sessionsOf(ann)).status).toBe(200)
  await server.stop({ keep: true })
  server = await start([{ domain: 'other.test' }], server)
  expect((await sessionsOf(ann)).status).toBe(401)
  expect((await signIn(ann, server.url, 'ann')).text).toContain('SIGN_IN_RULES grants')
})
