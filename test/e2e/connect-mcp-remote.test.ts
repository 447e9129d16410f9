import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tokens } from './oauth/agent.ts'
import { answerProvider, launchBrowser, NO_BROWSER, type Person, person, textOf } from './oauth/browser.ts'
import { asAdmin, type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import { type Desktop, startDesktop } from './oauth/desktop.ts'

const PROXY = fileURLToPath(new URL('../../node_modules/mcp-remote/dist/proxy.js', import.meta.url))
const AGENTS = '/users/ann%40acme.test/agents'

/** What an editor starts that knows servers on its own machine alone: `npx mcp-remote <address>`. */
describe.skipIf(NO_BROWSER !== '')(`mcp-remote, without a header ${NO_BROWSER}`, () => {
  let world: ConnectWorld
  let browser: Browser
  let desktop: Desktop
  let ann: Person

  beforeAll(async () => {
    ;[world, browser, desktop] = await Promise.all([startConnectWorld(), launchBrowser(), startDesktop()])
    ann = await person(browser)
  })
  afterAll(() => Promise.all([world?.stop(), browser?.close(), desktop?.remove()]))

  /** Connects an editor; `act` is what its person does meanwhile. */
  async function connect(act: () => Promise<void> = async () => undefined): Promise<Client> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROXY, `${world.server.url}/connect/mcp`, '--silent'],
      env: { ...desktop.env, MCP_REMOTE_CONFIG_DIR: join(desktop.folder, 'mcp-auth') },
    })
    const client = new Client({ name: 'an editor', version: '1' })
    await Promise.all([client.connect(transport), act()])
    return client
  }

  /** In the page that a client opened. */
  async function choose(decision: 'Allow' | 'Deny'): Promise<void> {
    await ann.page.waitForURL(/\/connect\/authorize/)
    const text = await textOf(ann.page)
    for (const said of ['MCP CLI Proxy', 'ann@acme.test', 'own computer']) expect(text).toContain(said)
    await ann.page.getByRole('checkbox', { name: /Calculator/ }).check()
    await ann.page.getByRole('button', { name: decision }).click()
    await ann.page.waitForURL(/\/oauth\/callback/)
  }

  async function expectToWork(client: Client): Promise<void> {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('Calculator_Add')
    expect(tools.every(({ name }) => name.startsWith('Calculator'))).toBe(true)
    const { content } = await client.callTool({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
    expect(content).toEqual([{ type: 'text', text: '5' }])
  }

  /** The file in which it keeps its tokens, and these. */
  async function kept(): Promise<{ file: string; tokens: Tokens }> {
    const folder = join(desktop.folder, 'mcp-auth')
    const [name = ''] = (await readdir(folder, { recursive: true })).filter((each) => each.endsWith('_tokens.json'))
    const file = join(folder, name)
    return { file, tokens: JSON.parse(await readFile(file, 'utf8')) }
  }

  it('mcp-remote, without a header, discovers sign-in, registers, opens the page, and calls with its token', async () => {
    const client = await connect(async () => {
      await ann.page.goto(await desktop.next(0))
      await answerProvider(ann, 'ann')
      await choose('Allow')
    })
    await expectToWork(client)
    await client.close()
    const { items } = (await world.server.json('GET', AGENTS, undefined, asAdmin)).body
    expect(items).toMatchObject([{ client: { name: 'MCP CLI Proxy' }, toolkits: ['Calculator'] }])
  })

  it('mcp-remote, without a header, refreshes an expired token without opening the page', async () => {
    const { file, tokens } = await kept()
    const access_token = tokens.access_token.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a'))
    await writeFile(file, JSON.stringify({ ...tokens, access_token }))
    const client = await connect()
    await expectToWork(client)
    await client.close()
    expect((await kept()).tokens.refresh_token).not.toBe(tokens.refresh_token)
    expect(await desktop.opened()).toHaveLength(1)
  })

  it('mcp-remote, without a header, opens the page again during a call if its access was ended, and the person may refuse', async () => {
    const client = await connect()
    await expectToWork(client)
    expect((await world.server.json('DELETE', AGENTS, undefined, asAdmin)).status).toBe(204)
    const before = (await desktop.opened()).length
    const calling = client.callTool({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
    const refused = expect(calling).rejects.toThrow('access_denied')
    await ann.page.goto(await desktop.next(before))
    await choose('Deny')
    await refused
    await client.close()
    expect((await world.server.json('GET', AGENTS, undefined, asAdmin)).body.items).toEqual([])
  })
})
