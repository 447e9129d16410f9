import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from './set-up.ts'
import { definition } from '../e2e/definition.ts'

/** Modules that keep state between calls, on purpose or by accident. */
const MODULES: Readonly<Record<string, string>> = {
  'a variable': 'let last; export default (input) => { const before = last; last = input.text; return before ?? null }',
  'a cache': `const made = new Map()
    export default ({ text }) => { if (!made.has('it')) made.set('it', text); const first = made.get('it'); return first === text ? null : first }`,
  'the global object':
    'export default ({ text }) => { const before = globalThis.last; globalThis.last = text; return before ?? null }',
  'a prototype':
    'export default ({ text }) => { const before = [].last; Array.prototype.last = text; return before ?? null }',
}

let server: RunningServer
let ann: Headers
let bob: Headers
let app: Headers
beforeAll(async () => {
  server = await startWatchedServer({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  for (const [index, module] of Object.values(MODULES).entries()) await publish(`Keeps${index}`, { module })
  const tools = ['Module.*']
  ann = (await keyOf(server, tools, { users: ['ann'] })).as
  bob = (await keyOf(server, tools, { users: ['bob'] })).as
  app = (await keyOf(server, tools, { users: 'any' })).as
})
afterAll(() => server?.stop())
afterAll(neverSilent)

async function publish(tool: string, implementation: object, requirements: object = {}) {
  const body = {
    definition: definition(`Module.${tool}@1.0.0`, {
      input_schema: { parameters: { type: 'object', properties: { text: { type: 'string' } } } },
      requirements,
    }),
    implementation: { kind: 'code', ...implementation },
  }
  return server.json('POST', '/tools', body, asAdmin)
}

async function tell(tool: string, text: string, as: Headers, context: object = {}): Promise<unknown> {
  const called = { tool_id: `Module.${tool}`, input: { text }, context }
  const { body } = await server.json('POST', '/tools/call', called, as)
  expect(body.result, JSON.stringify(body)).toMatchObject({ success: true })
  return body.result.value
}

describe.each(Object.keys(MODULES).map((name, index) => [name, `Keeps${index}`]))(
  '%s of a code module',
  (name, tool = '') => {
    it(`${name} of a code module reveals no input of another caller, however the tool is called`, async () => {
      expect(await tell(tool, 'of ann', ann)).toBeNull()
      expect(await tell(tool, 'of bob', bob)).toBeNull()
      expect(await tell(tool, 'of the application', app)).toBeNull()
      const mcp = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...bob }
      const params = { name: `Module_${tool}`, arguments: { text: 'of bob again' } }
      const called = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, mcp)
      expect(JSON.stringify(called.body)).not.toMatch(/of (?:ann|the application)/)
    })

    it(`${name} of a code module reveals nothing between users of one key`, async () => {
      expect(await tell(tool, 'of carol', app, { user_id: 'carol' })).toBeNull()
      expect(await tell(tool, 'of dave', app, { user_id: 'dave' })).toBeNull()
    })
  },
)

it('a code module that its publisher declares shared is shared, and its page says so', async () => {
  expect((await publish('Shared', { module: MODULES['a variable'], shared: true })).status).toBe(201)
  expect(await tell('Shared', 'of ann', ann)).toBeNull()
  expect(await tell('Shared', 'of bob', bob)).toBe('of ann')
  const page = async (tool: string) =>
    (await fetch(`${server.url}/console/tools/Module.${tool}%401.0.0`, { headers: asAdmin })).text()
  expect(await page('Shared')).toContain('shared by all callers')
  expect(await page('Keeps0')).not.toContain('shared by all callers')
})

it.each([
  ['a user', { user_id: true }],
  ['a secret', { secrets: [{ id: 'KEY' }] }],
  ['a token', { authorization: [{ id: 'google' }] }],
])('a code module that is declared shared is refused if it needs %s', async (_, requirements) => {
  const { status, body } = await publish('Refused', { module: MODULES['a variable'], shared: true }, requirements)
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('needs a user or a credential')])
})
