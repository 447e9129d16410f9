import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { launchBrowser, NO_BROWSER, type Person, person, textOf } from './oauth/browser.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type Connected, startWorld, type World } from './oauth/switchboard.ts'
import { connectVerified, type Verifier } from './oauth/verifier.ts'
import { screenshot } from './screenshot.ts'

const TOOL = 'mailbox.empty'

let world: World
let app: Verifier
let edge: Connected
let browser: Browser
let who: Person
let users = 0

beforeAll(async () => {
  world = await startWorld()
  const verified = await connectVerified(world)
  app = verified.app
  edge = verified.edge
  if (!NO_BROWSER) browser = await launchBrowser()
})
afterAll(() => Promise.all([edge?.server.stop(), browser?.close(), world?.close(), app?.close()]))
afterEach(() => who?.leave())

const newUser = () => `user-${++users}`
const emptied = () => world.api.requests.filter(({ path }) => path === '/mailbox').length
const empty = (user: string | undefined, folder = 'spam', more = {}) =>
  edge.call(TOOL, user, { input: { folder }, ...more })

/** Opens an approval's page, and presses a button of it. */
async function approve(url: string): Promise<void> {
  const someone = new HttpPerson()
  // First to the application that knows them, and back to decide
  const identified = await someone.press(await someone.open(url), /approve/i)
  const { text } = await someone.press(identified, /approve/i)
  expect(text).toMatch(/approved/i)
}

/** The same in Chromium. Gives what the page said. */
async function decide(url: string, button: 'Approve' | 'Deny'): Promise<string> {
  who = await person(browser, { javaScript: false })
  await who.page.goto(url)
  const asked = await textOf(who.page)
  await screenshot(who.page, 'approval')
  await who.page.getByRole('button', { name: button }).click()
  if (button === 'Approve') {
    await who.page.waitForURL(url)
    await who.page.getByRole('button', { name: button }).click()
  }
  await who.page.waitForLoadState()
  await screenshot(who.page, `${button}d`)
  return asked
}

it.skipIf(NO_BROWSER !== '')(
  `a tool that needs approval runs once as approved, and asks again for the next call ${NO_BROWSER}`,
  async () => {
    const user = newUser()
    const before = emptied()
    const { id, url, check_url } = await edge.challenge(TOOL, user, { folder: 'old & <spam>' })
    expect(id).toBe('approval')
    expect(emptied()).toBe(before)
    const waiting = edge.settled(check_url)
    const asked = await decide(url, 'Approve')
    for (const word of ['mailbox.empty@1.0.0', 'old & <spam>', user]) expect(asked).toContain(word)
    expect(await waiting).toMatchObject({ provider: 'approval', status: 'completed' })

    const { body } = await empty(user, 'old & <spam>')
    expect(body.result).toMatchObject({ success: true, value: { emptied: true } })
    expect(emptied()).toBe(before + 1)
    const again = await edge.challenge(TOOL, user, { folder: 'old & <spam>' })
    expect(again.url).not.toBe(url)
    expect(emptied()).toBe(before + 1)
  },
)

it('a tool that needs approval does not run with other arguments, for another user or for another caller', async () => {
  const user = newUser()
  const { url } = await edge.challenge(TOOL, user, { folder: 'spam' })
  await approve(url)
  const before = emptied()
  await edge.challenge(TOOL, user, { folder: 'inbox' })
  await edge.challenge(TOOL, newUser(), { folder: 'spam' })
  await edge.challenge(TOOL, undefined, { folder: 'spam' })
  const other = { authorization: `Bearer ${await edge.keyFor([user])}` }
  const call = { tool_id: TOOL, input: { folder: 'spam' }, context: { user_id: user } }
  expect((await edge.ask('POST', '/tools/call', call, other)).status).toBe(400)
  expect(emptied()).toBe(before)
  expect((await empty(user)).body.result).toMatchObject({ success: true })
})

it("a tool that needs approval does not use up an approval when a call's input is refused", async () => {
  const user = newUser()
  expect((await edge.call(TOOL, user, { input: {} })).status).toBe(422)
  const { url } = await edge.challenge(TOOL, user, { folder: 'spam' })
  await approve(url)
  expect((await edge.call(TOOL, user, { input: { folder: 7 } })).status).toBe(422)
  expect((await empty(user)).body.result).toMatchObject({ success: true })
})

it.skipIf(NO_BROWSER !== '')(
  `a tool that needs approval does not run if the person refuses; the caller is told, and the decision is final ${NO_BROWSER}`,
  async () => {
    const user = newUser()
    const { url, check_url } = await edge.challenge(TOOL, user, { folder: 'spam' })
    await decide(url, 'Deny')
    expect(await textOf(who.page)).toMatch(/refused/i)
    expect(await edge.settled(check_url)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/refused/i),
    })
    await who.page.goto(url)
    expect(await who.page.getByRole('button').count()).toBe(0)
    const before = emptied()
    expect((await empty(user)).status).toBe(400)
    expect(emptied()).toBe(before)
  },
)

it.skipIf(NO_BROWSER !== '')(
  `a tool that needs approval is not approved by opening the page, nor by a form from another site ${NO_BROWSER}`,
  async () => {
    const user = newUser()
    const { url, check_url } = await edge.challenge(TOOL, user, { folder: 'spam' })
    who = await person(browser)
    await who.page.goto(`${world.provider.issuer}/.well-known/openid-configuration`)
    await who.page.setContent(
      `<form method="post" action="${url}"><button name="decision" value="approve">Win</button>`,
    )
    await who.page.getByRole('button').click()
    await who.page.waitForURL(url)
    expect(await textOf(who.page)).toContain('another site')
    expect((await edge.ask('GET', check_url)).body.status).toBe('not_started')
    expect((await empty(user)).status).toBe(400)
  },
)

it.each(['2026-07-28', 'legacy'] as const)('a tool that needs approval can be called over MCP, on %s', async (mode) => {
  const user = newUser()
  const client = new Client(
    { name: 'a test', version: '1.0.0' },
    {
      capabilities: { elicitation: { url: {} } },
      ...(mode === 'legacy' ? {} : { versionNegotiation: { mode: { pin: mode } } }),
    },
  )
  const requestInit = { headers: { 'authorization': `Bearer ${await edge.keyFor([user])}`, 'x-user-id': user } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', edge.server.url), { requestInit }))
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode !== 'url') throw new Error('Wanted a URL')
    await approve(params.url)
    return { action: 'accept' }
  })
  const { tools } = await client.listTools()
  const name = tools.find((tool) => /empty/.test(tool.name))?.name ?? ''
  const call = () => client.callTool({ name, arguments: { folder: 'spam' } })
  const before = emptied()
  if (mode === 'legacy') {
    const error: { data?: { elicitations?: { url: string }[] } } = await call().then(Object, Object)
    const url = error.data?.elicitations?.[0]?.url
    expect(url).toContain('/start')
    await approve(url ?? '')
  }
  expect(await call()).toMatchObject({ structuredContent: { emptied: true } })
  expect(emptied()).toBe(before + 1)
  await client.close()
})
