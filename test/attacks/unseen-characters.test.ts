import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { describing } from '../plugins/describing.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({
    vars: {
      VAULT_KEYS: 'a-key-for-the-vault-of-tests',
      GOOGLE_CLIENT_ID: 'a-client',
      GOOGLE_CLIENT_SECRET: 'a-secret-of-the-client',
    },
  })
  const capabilities = [
    { name: 'Out', description: `Pays${ALL}`, parameters: [{ name: 'to', description: 'To whom', type: 'any' }] },
  ]
  const definition = { id: 'Pay', name: 'Pay', version: '1.0.0', description: 'Pays', capabilities, securityLevel: 9 }
  const published = await server.json('POST', '/tools', { definition, implementation })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  const tools = [{ name: 'Out', description: `Pays${ALL}`, inputSchema: { type: 'object' } }]
  const uploaded = await raw(server.url, {
    method: 'PUT',
    path: '/toolkits/Bank/plugin?version=1.0.0&security_level=9',
    headers: { 'content-type': 'application/wasm' },
    body: describing(JSON.stringify({ tools })),
  })
  expect(uploaded.status, uploaded.text).toBe(201)
})
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Characters that are invisible, look like a space, or reverse the adjacent text. */
const UNSEEN = [
  '\u3164\u2800\u034f\u115f\u1160\uffa0\ufe0f\ufe00\u180b\u180e',
  '\u00ad\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060',
  '\u2066\u2069\u206f\ufeff\ufff9\u{1d173}\u{e0001}\u{e0041}\u{e0100}',
].flatMap((characters) => Array.from(characters))
const ALL = UNSEEN.join('x')
const escaped = (character: string) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`
const implementation = { kind: 'http', method: 'POST', url: 'https://pay.example.com/' }

async function pageOf(url: string): Promise<string> {
  const { pathname, search, host } = new URL(url)
  const { status, text } = await raw(server.url, { path: pathname + search, headers: { host } })
  expect(status).toBe(200)
  return text
}

function expectSpelledOut(page: string, characters: readonly string[] = UNSEEN): void {
  for (const character of characters) {
    expect(page.includes(character), escaped(character)).toBe(false)
    expect(page, escaped(character)).toContain(escaped(character))
  }
}

const INPUTS = [
  ['a value', 'Pay', { to: ALL }],
  ['what lies deep', 'Pay', { to: [{ deep: [{ [`k${ALL}`]: [ALL] }] }] }],
  ['what a plugin is given', 'Bank', { [ALL]: 'x' }],
] as const

it.each(INPUTS)(
  'the approval page shows invisible characters as escapes, in every dialect: %s',
  async (_, toolkit, input) => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `${toolkit}_Out`, arguments: input } }
    const header = { version: '1.0', messageId: 'm', messageType: 'request', timestamp: new Date().toISOString() }
    const payload = { tool: { id: toolkit, capability: 'Out', parameters: input }, context: {} }
    const answers = await Promise.all([
      server.json('POST', '/tools/call', { tool_id: `${toolkit}.Out`, input }),
      server.json('POST', '/worker/tools/invoke', { tool: { name: 'Out', toolkit }, inputs: input }),
      server.json('POST', '/mcp', rpc, { accept: 'application/json, text/event-stream' }),
      server.json('POST', '/plugin/call', { params: { name: `${toolkit}_Out`, arguments: input } }),
      server.json('POST', '/machine-context/execute', { header, payload }),
    ])
    const links = answers.map(({ body }) => /https?:\/\/[^\s"\\]+\/start/.exec(JSON.stringify(body))?.[0] ?? '')
    expect(new Set(links.map((link) => link.replace(/[^/]+\/start$/, ''))).size, links.join()).toBe(1)
    for (const link of links) expectSpelledOut(await pageOf(link))
  },
)

it("the consent page shows invisible characters in the user's name as escapes", async () => {
  // A user with unprintable characters is refused
  const users = UNSEEN.map((character) => `a${character}nn`)
  let pages = 0
  for (const [index, user_id] of users.entries()) {
    const call = { tool_id: 'Gmail.GetEmails', input: {}, context: { user_id } }
    const { status, body } = await server.json('POST', '/tools/call', call)
    expect(status).toBe(400)
    const url: string | undefined = body.missing_requirements?.authorization?.[0]?.url
    if (url === undefined) continue
    pages += 1
    expectSpelledOut(await pageOf(url), UNSEEN.slice(index, index + 1))
  }
  expect(pages).toBeGreaterThan(10)
})
