import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialectCalls } from './dialect-calls.ts'
import {
  asAdmin,
  callFor,
  challengeFor,
  enter,
  type KeyApi,
  newKey,
  publishKeyTool,
  putProvider,
  startKeyApi,
  variablesBeside,
} from './key-world.ts'
import { launchBrowser, NO_BROWSER, person } from './oauth/browser.ts'
import { filesUnder, leaked } from './oauth/leaks.ts'
import { screenshot } from './screenshot.ts'
import { type Server, startServer } from './server.ts'

let api: KeyApi
let server: Server
let variables: Record<string, string>
let browser: Browser | undefined
const said: string[] = []
const secrets: string[] = []

beforeAll(async () => {
  api = await startKeyApi()
  variables = variablesBeside(api)
  await deploy()
})
afterAll(() => Promise.all([server?.stop(), api?.close(), browser?.close()]))

/** Deploys again on the same state, with other variables. */
async function deploy(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const persistTo = server?.persistTo
  await server?.stop({ keep: true })
  variables = { ...variables, ...more }
  server = await startServer({ vars: variables, ...(persistTo === undefined ? {} : { persistTo }) })
  await importNotes()
  const headers = { 'x-api-key': '{key}' }
  const check = { url: `${api.origin}/me`, headers, account: '/login' }
  const help = { help: 'Under Settings, Keys.', help_url: 'https://notes.example/settings/keys' }
  await putProvider(server, 'notes', { kind: 'api_key', name: 'Notes', ...help, check })
}

/** Imports the API's description, whose security scheme becomes a provider of keys. */
async function importNotes(): Promise<void> {
  const read = (operationId: string) => ({ get: { operationId, responses: { 200: { description: 'Notes' } } } })
  const openapi = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1.0.0' },
    servers: [{ url: api.origin }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: { '/notes': read('List'), '/echo': read('Echo') },
  }
  const body = { toolkit: 'Notes', version: '1.0.0', credentials: 'per-user', from: { openapi } }
  const { status, body: answer } = await server.json('POST', '/toolkits/import', body, asAdmin)
  expect([200, 201], JSON.stringify(answer)).toContain(status)
  expect(answer.providers).toMatchObject([{ id: 'notes', kind: 'api_key', schemes: ['key'] }])
}

/** Creates an account and returns its key, which nothing may reveal from now on. */
function createAccount(login: string): string {
  const key = newKey()
  secrets.push(key)
  api.accounts.set(key, login)
  return key
}

const accountsOf = async (user: string) =>
  Object((await server.json('GET', `/users/${user}/grants`, undefined, asAdmin)).body).items.map(
    ({ provider, account }: { provider: string; account: string }) => `${provider} ${account}`,
  )
const succeeded = (login: string) => ({ status: 200, body: { result: { success: true, value: { login } } } })

async function callInAllDialects(user: string): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const [dialect, { path, body, ...more }] of Object.entries(dialectCalls('Notes.List', '{}'))) {
    const headers = {
      ...asAdmin,
      'content-type': 'application/json',
      'x-user-id': user,
      ...('headers' in more ? more.headers : {}),
    }
    // Dialects whose body contains the user ignore the header
    const user_id = JSON.stringify({ user_id: user })
    const text = body
      .replace('"context":{}', `"context":${user_id}`)
      .replace('"input":{}', `"input":{},"context":${user_id}`)
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: text })
    answers[dialect] = await response.text()
    said.push(answers[dialect])
  }
  return answers
}

it("a tool with its user's API key: each dialect returns the link, a wrong key is not stored, and a right one lets each call", async () => {
  const challenges = await callInAllDialects('ann')
  for (const [dialect, text] of Object.entries(challenges))
    expect(text, dialect).toMatch(/\/authorizations\/[^"/]+\/start/)

  const { url } = await challengeFor(server, 'Notes.List', 'ann')
  const key = createAccount('ann@notes.example')
  const refused = await enter(url, { key: 'a-wrong-key-of-ann' }, { said })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('does not accept this (401)')])
  expect(refused.text).not.toContain('a-wrong-key-of-ann')
  expect(await accountsOf('ann')).toEqual([])

  const connected = await enter(url, { key }, { said })
  expect([connected.status, connected.text]).toEqual([200, expect.stringContaining('ann@notes.example')])
  expect(await accountsOf('ann')).toEqual(['notes ann@notes.example'])
  for (const [dialect, text] of Object.entries(await callInAllDialects('ann')))
    expect(text, dialect).toContain('ann@notes.example')
  // The link is used up, and another user has nothing
  expect((await enter(url, { key }).catch(String)).toString()).toContain('has no form')
  expect((await callFor(server, 'Notes.List', 'mallory')).status).toBe(400)
})

it("a tool with its user's API key asks which of two accounts to use, and one can be disconnected alone", async () => {
  const context = { account: 'home' }
  const { url } = await challengeFor(server, 'Notes.List', 'ann', context)
  const key = createAccount('ann-at-home')
  expect((await enter(url, { key }, { said })).status).toBe(200)
  expect(await callFor(server, 'Notes.List', 'ann', context)).toMatchObject(succeeded('ann-at-home'))
  expect(JSON.stringify((await callFor(server, 'Notes.List', 'ann')).body)).toMatch(/several accounts.*home/)
  const removed = await server.json('DELETE', '/users/ann/grants/notes?account=home', undefined, asAdmin)
  expect(removed.status).toBe(204)
  expect((await callFor(server, 'Notes.List', 'ann', context)).status).toBe(400)
  expect(await callFor(server, 'Notes.List', 'ann')).toMatchObject(succeeded('ann@notes.example'))
})

it('a key that the API no longer accepts is requested again with a link, and the new one is used', async () => {
  const { url } = await challengeFor(server, 'Notes.List', 'cleo')
  const old = createAccount('cleo')
  await enter(url, { key: old }, { said })
  api.accounts.delete(old)
  const again = await challengeFor(server, 'Notes.List', 'cleo')
  expect(again.reason).toContain("The API of 'notes' refuses what the user entered")
  // Sending a wrong password repeatedly would lock the account
  const sent = api.arrived.length
  expect((await challengeFor(server, 'Notes.List', 'cleo')).url).toBe(again.url)
  expect(api.arrived.length).toBe(sent)
  const key = createAccount('cleo')
  expect((await enter(again.url, { key }, { said })).status).toBe(200)
  expect(await callFor(server, 'Notes.List', 'cleo')).toMatchObject(succeeded('cleo'))
})

it('tools send a personal access token, a user name and password, or custom fields, as their implementations define', async () => {
  const token = createAccount('token-owner')
  const password = newKey()
  secrets.push(password)
  api.accounts.set(`dana:${password}`, 'dana')
  const check = { url: `${api.origin}/me`, account: '/login' }
  await putProvider(server, 'pat', { kind: 'bearer', check })
  await putProvider(server, 'login', { kind: 'basic', check })
  const site = { name: 'site', label: 'Site', pattern: '^[a-z]+$', secret: false }
  await putProvider(server, 'site', { kind: 'fields', fields: [site, { name: 'pin', label: 'PIN' }] })
  const authorization = { in: 'header', name: 'Authorization' }
  const basic = (field: string) => ({ authorization: 'login', field, in: 'basic', name: field })
  const url = `${api.origin}/notes`
  await publishKeyTool(server, 'Pat', url, [{ authorization: 'pat', ...authorization }], 'pat')
  await publishKeyTool(server, 'Basic', url, [basic('username'), basic('password')], 'login')
  const whole = { authorization: 'login', ...authorization, format: 'Basic {value}' }
  await publishKeyTool(server, 'Whole', url, [whole], 'login')
  const sent = [
    { authorization: 'site', field: 'pin', in: 'header', name: 'x-api-key' },
    { authorization: 'site', field: 'site', in: 'query', name: 'site' },
  ]
  await publishKeyTool(server, 'Site', url, sent, 'site')

  const connect = async (tool: string, values: Readonly<Record<string, string>>) =>
    enter((await challengeFor(server, tool, 'dana')).url, values, { said })
  expect((await connect('Notes.Pat', { token })).status).toBe(200)
  expect(await callFor(server, 'Notes.Pat', 'dana')).toMatchObject(succeeded('token-owner'))
  expect((await connect('Notes.Basic', { username: 'dana', password: 'not-it' })).status).toBe(400)
  expect((await connect('Notes.Basic', { username: 'dana', password })).text).toContain('dana')
  expect(await callFor(server, 'Notes.Basic', 'dana')).toMatchObject(succeeded('dana'))
  expect(await callFor(server, 'Notes.Whole', 'dana')).toMatchObject(succeeded('dana'))
  // Entered again without a label, it stays the same account, even if the API now has another name for it
  api.accounts.delete(`dana:${password}`)
  const anew = await challengeFor(server, 'Notes.Basic', 'dana')
  api.accounts.set(`dana:${password}`, 'dana-renamed')
  expect((await enter(anew.url, { username: 'dana', password }, { said })).text).toContain('dana-renamed')
  expect(await callFor(server, 'Notes.Basic', 'dana')).toMatchObject(succeeded('dana-renamed'))
  expect(await accountsOf('dana')).toEqual(['login dana', 'pat token-owner'])
  const malformed = await connect('Notes.Site', { site: 'ACME', pin: 'x' })
  expect([malformed.status, malformed.text]).toEqual([400, expect.stringContaining('not written as it has to be')])
  const pin = createAccount('site-owner')
  expect((await connect('Notes.Site', { site: 'acme', pin })).status).toBe(200)
  expect(await callFor(server, 'Notes.Site', 'dana')).toMatchObject(succeeded('site-owner'))
  expect(api.arrived.at(-1)?.url).toBe('/notes?site=acme')
})

it('a late refusal of an old password does not mark the new one as refused', async () => {
  const basic = (field: string) => ({ authorization: 'login', field, in: 'basic', name: field })
  const placed = [basic('username'), basic('password')]
  await publishKeyTool(server, 'Held', `${api.origin}/held`, placed, 'login')
  const passwords = [newKey(), newKey()]
  secrets.push(...passwords)
  for (const password of passwords) api.accounts.set(`gus:${password}`, 'gus')
  const enterNext = async () => {
    const body = { provider: 'login', toolkit: 'Notes' }
    const connecting = await server.json('POST', '/users/gus/connections', body, asAdmin)
    return enter(connecting.body.url, { username: 'gus', password: passwords.shift() ?? '' }, { said })
  }
  expect((await enterNext()).status).toBe(200)
  let release = () => {}
  api.release = new Promise((resolve) => (release = resolve))
  const sent = api.arrived.length
  const held = callFor(server, 'Notes.Held', 'gus')
  await expect.poll(() => api.arrived.length).toBe(sent + 1)
  expect((await enterNext()).status).toBe(200)
  // It was right when it was sent
  for (const key of [...api.accounts.keys()].filter((key) => key.startsWith('gus:')).slice(0, 1))
    api.accounts.delete(key)
  release()
  await held
  expect(await callFor(server, 'Notes.Held', 'gus')).toMatchObject(succeeded('gus'))
})

it.skipIf(NO_BROWSER !== '')(`a person enters a key on the page, in Chromium ${NO_BROWSER}`, async () => {
  browser = await launchBrowser()
  const who = await person(browser, { javaScript: false })
  const { page } = who
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto((await challengeFor(server, 'Notes.List', 'eve')).url)
    await screenshot(page, `credential-${width}`)
  }
  const text = await page.locator('main').innerText()
  for (const part of ['Notes.List', api.host, 'eve', 'Under Settings, Keys.', 'https://notes.example/settings/keys'])
    expect(text).toContain(part)
  const input = page.getByLabel('API key')
  expect([await input.getAttribute('type'), await input.getAttribute('autocomplete')]).toEqual(['password', 'off'])
  await input.fill(createAccount('eve@notes.example'))
  await page.getByRole('button', { name: 'Connect' }).click()
  expect(await page.locator('main').innerText()).toContain('eve@notes.example')
  said.push(await page.content())
  expect(await callFor(server, 'Notes.List', 'eve')).toMatchObject(succeeded('eve@notes.example'))
  // An empty field does not keep anybody from saying no
  const { url } = await challengeFor(server, 'Notes.List', 'frank')
  await page.goto(url)
  await page.getByRole('button', { name: 'Deny' }).click()
  expect(await page.locator('main').innerText()).toContain('did not get access')
  await who.leave()
})

it("people's credentials survive a rotation of VAULT_KEYS, and are in no response, page, record, log, archive or file", async () => {
  const old = variables['VAULT_KEYS'] ?? ''
  const key = newKey()
  const echoed = await callFor(server, 'Notes.Echo', 'ann')
  expect(JSON.stringify(echoed.body)).toContain('ann@notes.example')
  said.push(JSON.stringify(echoed.body))
  const printed = [server.printed()]
  await deploy({ VAULT_KEYS: `${key},${old}` })
  expect(await callFor(server, 'Notes.List', 'ann')).toMatchObject(succeeded('ann@notes.example'))
  printed.push(server.printed())
  await deploy({ VAULT_KEYS: key })
  expect(await callFor(server, 'Notes.List', 'ann')).toMatchObject(succeeded('ann@notes.example'))
  // Dana called nothing meanwhile
  expect((await callFor(server, 'Notes.Pat', 'dana')).status).toBe(400)

  const paths = ['/export', '/providers', '/users/ann/grants', '/users/dana/grants', '/audit', '/setup', '/tools']
  const { items } = Object((await server.json('GET', '/calls?limit=100', undefined, asAdmin)).body)
  expect(items.length).toBeGreaterThan(10)
  for (const path of [...paths, ...items.map(({ id, at }: { id: string; at: string }) => `/calls/${id}?at=${at}`)])
    said.push(await (await fetch(`${server.url}${path}`, { headers: asAdmin })).text())
  expect(leaked(said.join('\n'), secrets)).toEqual([])
  await server.stop({ keep: true })
  expect(leaked([...printed, server.printed()].join('\n'), secrets)).toEqual([])
  for (const { path, bytes } of filesUnder(server.persistTo)) expect(leaked(bytes, secrets), path).toEqual([])
})
