import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'
import { ADMIN_KEY, asAdmin, keyOf } from './set-up.ts'
import { definition } from '../e2e/definition.ts'

const SECRET = 'q83vL0f5KvN7xI0Zt9uPQ2wErT6yU8'
const ANY = ['text', 'list', 'pairs', 'map', 'url', 'pwd', 'auth', 'sessionid', 'state', 'note', 'pin', 'nested']

/** Inputs that contain a secret, and the parts of them that may be recorded. */
const INPUTS: Readonly<Record<string, readonly [input: object, recorded: object]>> = {
  'a JSON text': [{ text: JSON.stringify({ password: SECRET }) }, { text: '<45 characters>' }],
  'headers by name and value': [{ list: [{ name: 'Authorization', value: SECRET }] }, { list: [{ '…': '2 more' }] }],
  'an address': [{ url: `https://u:${SECRET}@x/?access_token=${SECRET}` }, { url: '<87 characters>' }],
  'pwd': [{ pwd: SECRET }, { pwd: '<30 characters>' }],
  'auth': [{ auth: SECRET }, { auth: '<30 characters>' }],
  'sessionid': [{ sessionid: SECRET }, { sessionid: '<30 characters>' }],

  'headers in pairs': [{ pairs: [['Cookie', SECRET]] }, { pairs: [['<6 characters>', '<30 characters>']] }],
  'names of a map': [{ map: { [SECRET]: true } }, { map: { '…': '1 more' } }],
  'what was to be one of some': [{ state: SECRET }, { state: '<30 characters>' }],
  'YAML in JSON in Base64': [{ text: btoa(`{"yaml": "token: ${SECRET}"}`) }, { text: '<68 characters>' }],
  'a number that is named like a secret': [{ pin: 47_114_711_471 }, { pin: '[redacted]' }],
  'what is deep, and only beside what is recorded': [
    { nested: { note: 'is recorded', other: SECRET } },
    { nested: { note: 'is recorded', other: '<30 characters>' } },
  ],
}

let server: RunningServer
let key: Awaited<ReturnType<typeof keyOf>>
beforeAll(async () => {
  server = await startWatchedServer({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const properties: Record<string, object> = Object.fromEntries(ANY.map((name) => [name, {}]))
  properties['state'] = { enum: ['open', 'closed'] }
  properties['note'] = { 'x-record': true }
  properties['nested'] = { type: 'object', properties: { note: { 'x-record': true } } }
  const anything = definition('Kept.Anything@1.0.0', { input_schema: { type: 'object', properties } })
  const implementation = { kind: 'code', module: 'export default () => 1' }
  expect((await server.json('POST', '/tools', { definition: anything, implementation }, asAdmin)).status).toBe(201)
  key = await keyOf(server, ['Kept.*'], { record_arguments: true })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

it('secrets in arguments appear in no record, page or log, whatever value contains them', async () => {
  for (const [name, [input]] of Object.entries(INPUTS)) {
    const called = { call_id: name.replaceAll(' ', '-'), tool_id: 'Kept.Anything', input }
    expect([200, 422], name).toContain((await server.json('POST', '/tools/call', called, key.as)).status)
  }
  const given = { call_id: 'marked', tool_id: 'Kept.Anything', input: { note: 'C major', state: 'open', map: 7 } }
  await server.json('POST', '/tools/call', given, key.as)
  const count = Object.keys(INPUTS).length + 1
  const listed = () => server.json('GET', `/calls?principal=key:${key.id}`, undefined, asAdmin)
  await expect.poll(async () => (await listed()).body.items.length, { timeout: 10_000 }).toBe(count)
  const { body } = await listed()
  const recorded: readonly { readonly arguments: object }[] = body.items
  expect(recorded.map((each) => each.arguments).reverse()).toEqual([
    ...Object.values(INPUTS).map(([, kept]) => kept),
    { note: 'C major', state: 'open', map: 7 },
  ])
  const page = await (await fetch(`${server.url}/console/calls`, { headers: asAdmin })).text()
  const everywhere = [JSON.stringify(body), page, server.printed()].join()
  expect(everywhere).toContain('C major')
  for (const each of [SECRET, btoa(SECRET).slice(4, 24), '47114711471']) expect(everywhere).not.toContain(each)
})
