import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { raw } from '../e2e/raw.ts'
import { ADMIN_KEY, asAdmin } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public', ADMIN_KEY } })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const MOST = 4 * 1024 * 1024
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const message = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const calling = (select: string) => ({
  name: 'Calculator_Add',
  arguments: { a: 1, b: 2 },
  _meta: { 'dev.switchboard/select': select },
})
const times = (count: number) => `[${Array(count).fill('@').join(',')}]`
const SWELLING = `\`"${'x'.repeat(1_000)}"\`${` | ${times(10)} | join('', @)`.repeat(3)} | ${times(24)}`
const COSTLY = `[@]${' | [@, @, @, @] | []'.repeat(11)}`
const FULL = `'${'"'.repeat(1_900)}' | ${times(16)} | join('', @)`

/** Sends a batch, and counts the other requests that were answered meanwhile. */
async function sent(messages: readonly unknown[], path = '/mcp') {
  let isDone = false
  let healths = 0
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-03-26' }
  const work = raw(server.url, { method: 'POST', path, headers, body: JSON.stringify(messages) })
  const answering = work.finally(() => (isDone = true))
  while (!isDone) {
    const [{ status }] = await Promise.all([server.json('GET', '/health'), new Promise(setImmediate)])
    expect(status).toBe(200)
    healths += 1
  }
  const { status, text } = await answering
  return { status, text, healths }
}

it.each<readonly [string, readonly object[]]>([
  ['of selections that swell', many(10, (id) => message(id, 'tools/call', calling(SWELLING)))],
  ['of a hundred costly selections', many(100, (id) => message(id, 'tools/call', calling(COSTLY)))],
  ['of lists', many(100, (id) => message(id, 'tools/list'))],
  ['of answers as long as they may be', many(100, (id) => message(id, 'tools/call', calling(FULL)))],
  ['of ids that come back', many(100, (id) => message(`${id}${'"'.repeat(20_000)}`, 'ping'))],
  ['of methods that there are not', many(100, (id) => message(id, 'x'.repeat(10_000)))],
])('a batch %s is answered message by message, without blocking other requests', async (_, messages) => {
  const { status, text, healths } = await sent(messages)
  expect(status).toBe(200)
  const answers: readonly { id: unknown; error?: { code: number }; result?: unknown }[] = JSON.parse(text)
  expect(answers.map(({ id }) => id)).toEqual(messages.map((each) => Object(each).id))
  for (const { error, result } of answers) expect((error === undefined) !== (result === undefined)).toBe(true)
  expect(Buffer.byteLength(text)).toBeLessThan(MOST + 600_000 + JSON.stringify(messages).length)
  // A server that never yields would still answer one request before the batch and one after it
  expect(healths).toBeGreaterThan(2)
})

it('all messages of a batch share one work budget for checking their inputs', async () => {
  const doubled = Object.fromEntries(
    many(40, (n) => [`d${n}`, { anyOf: [{ not: { $ref: `#/$defs/d${n + 1}` } }, { $ref: `#/$defs/d${n + 1}` }] }]),
  )
  const properties = { v: { items: { $ref: '#/$defs/d30' }, uniqueItems: true } }
  const inputSchema = { type: 'object', properties, $defs: { ...doubled, d40: { type: 'string' } } }
  const tool = {
    definition: {
      name: 'x',
      description: 'd',
      inputSchema,
    },
    implementation: {
      kind: 'http',
      method: 'POST',
      url: 'https://example.com/',
    },
    toolkit: 'Costly',
    version: '1.0.0',
  }
  const published = await server.json('POST', '/tools?dialect=mcp', tool, asAdmin)
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  const call = { name: 'Costly_x', arguments: { v: many(600, (n) => n) } }
  const { text, healths } = await sent(many(100, (id) => message(id, 'tools/call', call)))
  const answers: readonly object[] = JSON.parse(text)
  const saying = (words: string) => answers.filter((answer) => JSON.stringify(answer).includes(words)).length
  const [tried, refused] = [saying('too costly to check'), saying('used up what one request may take')]
  // Each may use 100,000 units, and all together a million
  expect([tried > 0, tried < 15, tried + refused]).toEqual([true, true, 100])
  expect(healths).toBeGreaterThan(5)
})

it('once a batch reaches the size limit of its responses, the remaining messages get an error and do not run', async () => {
  const { text } = await sent(many(100, (id) => message(id, 'tools/call', calling(FULL))))
  const answers: readonly { id: number; error?: { code: number; message: string } }[] = JSON.parse(text)
  const refused = answers.filter(({ error }) => error)
  expect([refused.length > 0, refused.length < 100]).toEqual([true, true])
  expect(refused.map(({ id }) => id)).toEqual(many(refused.length, (index) => 100 - refused.length + index))
  for (const { error } of refused) expect(error).toMatchObject({ code: -32600, message: /send this message by itself/ })
})
