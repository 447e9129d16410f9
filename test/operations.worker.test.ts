import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Env, loadConfig } from '../src/env.ts'
import { createDispatcher } from '../src/dispatcher.ts'
import guide from '../src/docs/performance.md?raw'
import { definition } from './e2e/definition.ts'
import { build } from './fixtures/generated/build.ts'
import { consent, createWorld } from './storage/vault/world.ts'

/** Operations that Cloudflare bills, in the columns of the guide's table. */
const COLUMNS = ['KV reads', 'KV writes', 'object requests', 'rows read', 'rows written'] as const
type Operations = Record<(typeof COLUMNS)[number], number>

const ADMIN_KEY = 'an-administrators-key-of-a-measurement'
const OBJECTS = ['Registry', 'Access', 'Records', 'IdempotencyStore', 'Vault', 'Connect', 'Tasks', 'Events'] as const

const NONE: Operations = { 'KV reads': 0, 'KV writes': 0, 'object requests': 0, 'rows read': 0, 'rows written': 0 }
let counted = NONE
let cursors: { readonly rowsRead: number; readonly rowsWritten: number }[] = []
let background: Promise<unknown>[] = []
let waiting: (() => void)[] = []
let send: Awaited<ReturnType<typeof isolate>>['send']

const prototypeOf = (value: object): Record<string, (...given: unknown[]) => unknown> => Object.getPrototypeOf(value)

beforeAll(async () => {
  // A day ahead, so that no alarm fires by itself
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  const { setTimeout } = globalThis
  // Work that is delayed by a second, such as records, runs in `pass`
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, ms = 0) =>
    ms === 1_000 ? (waiting.push(work), setTimeout(() => undefined)) : setTimeout(work, ms),
  )
  vi.spyOn(console, 'log').mockReturnValue()
  const [storage, sql] = await runInDurableObject(env.Registry.getByName('of no test'), (_, state) =>
    [state.storage, state.storage.sql].map(prototypeOf),
  )
  counted = { ...NONE }
  spyOn(sql, 'exec', (cursor) => cursors.push(cursor))
  // Each alarm is billed as a row
  spyOn(storage, 'setAlarm', () => (counted['rows written'] += 1))
  const kv = prototypeOf(env.REGISTRY)
  spyOn(kv, 'get', (_, [keys]) => (counted['KV reads'] += [keys].flat().length))
  for (const method of ['put', 'delete']) spyOn(kv, method, () => (counted['KV writes'] += 1))
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}))
  const first = await isolate()
  await first.send('POST', '/tools', several(500))
  await first.send('POST', '/tools', ORDER)
  await drain()
  const other = await isolate(first.key)
  // Warm up, since most isolates are warm
  for (const path of ['/tools?limit=100', '/tools?q=does']) await other.send('GET', path)
  await other.send('POST', '/tools/call', { tool_id: 'Orders.Place', input: {} })
  await pass(0)
  send = other.send
})
afterAll(async () => {
  await pass(0)
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function spyOn(
  of: Record<string, (...given: unknown[]) => unknown> | undefined,
  method: string,
  note: (answer: any, given: unknown[]) => unknown,
) {
  const real = of?.[method]
  if (!of || !real) throw new Error(`There is no ${method}`)
  vi.spyOn(of, method).mockImplementation(function (this: unknown, ...given) {
    const answer = Reflect.apply(real, this, given)
    note(answer, given)
    return answer
  })
}

/** Wraps a namespace so that each method call of its objects counts as a request. */
function countedObjects(namespace: object): object {
  const countedStub = (stub: object) =>
    new Proxy(stub, {
      get(target, method) {
        counted['object requests'] += 1
        return (...given: unknown[]) => Reflect.apply(Reflect.get(target, method), target, given)
      },
    })
  return new Proxy(namespace, {
    get(target, method) {
      const real: (of: unknown) => object = Reflect.get(target, method)
      return (of: unknown) => {
        const answer = Reflect.apply(real, target, [of])
        return method === 'get' || method === 'getByName' ? countedStub(answer) : answer
      }
    },
  })
}

/** Starts an isolate whose requests use one key. */
async function isolate(given?: string) {
  const bound: Env = Object.assign(
    { ...env },
    Object.fromEntries(OBJECTS.map((name) => [name, countedObjects(env[name])])),
  )
  const config = loadConfig(Object.assign({ ...bound }, { ACCESS: 'keys', ADMIN_KEY }))
  const app = createDispatcher(bound, config, build)
  async function send(method: string, path: string, body?: unknown, key = ADMIN_KEY) {
    const context = createExecutionContext()
    context.waitUntil = (work) => void background.push(work)
    const headers = { 'authorization': `Bearer ${key}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await app.fetch(new Request(`https://switchboard.example${path}`, init), bound, context)
    const answer: { readonly key: string } = await response.json()
    expect(response.status, JSON.stringify(answer)).toBeLessThan(300)
    return answer
  }
  const scopes = ['tools:read', 'tools:call', 'tools:publish']
  const key = given ?? (await send('POST', '/keys', { name: 'measured', scopes })).key
  return { key, send: (method: string, path: string, body?: unknown) => send(method, path, body, key) }
}

/** Lets time pass, and finishes the work that continues after responses. */
async function pass(ms: number): Promise<void> {
  for (const work of waiting.splice(0)) work()
  await Promise.all(background.splice(0))
  vi.setSystemTime(Date.now() + ms)
}

/** Runs until nothing is left to write or delete in KV. */
async function drain(): Promise<void> {
  await pass(0)
  for (const name of ['Registry', 'Access'] as const) {
    const stub = env[name].getByName(name.toLowerCase())
    for (;;) {
      const at = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
      if (at === null) break
      vi.setSystemTime(Math.max(at, Date.now()))
      counted['object requests'] += 1
      await runDurableObjectAlarm(stub)
    }
  }
}

/** Counts the operations of some work and of all that follows from it. */
async function operationsOf(work: () => Promise<unknown>): Promise<Operations> {
  cursors = []
  counted = { ...NONE }
  await work()
  await pass(0)
  counted['rows read'] += cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  counted['rows written'] += cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
  return counted
}

let number = 0
const fresh = () => definition(`Kit${(number += 1) % 50}.T${number}@1.0.0`)
const several = (count: number) => Array.from({ length: count }, fresh)

/** Sends 200 requests at a given rate per second. */
async function repeat(send: () => Promise<unknown>, aSecond = 100): Promise<void> {
  for (let n = 1; n <= 200; n += 1) {
    await send()
    if (n % aSecond === 0) await pass(1_000)
  }
}

const ORDER = {
  definition: definition('Orders.Place@1.0.0'),
  implementation: { kind: 'http', method: 'POST', url: 'https://api.example.com/', response: { type: 'json' } },
}
const idOf = () => crypto.randomUUID()

const call = (more: object = {}) =>
  send('POST', '/tools/call', { request: { tool_id: 'Orders.Place', input: {}, ...more } })

/** Each does a fifth of the work in its row. */
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  '1,000 calls by one key, 100 a second': () => repeat(call),
  '1,000 calls, one a second': () => repeat(call, 1),
  '1,000 calls with call ids, each run once': () => repeat(() => call({ call_id: idOf() })),
  '1,000 lists of 100 tools': () => repeat(() => send('GET', '/tools?limit=100')),
  '1,000 searches in 500 tools': () => repeat(() => send('GET', '/tools?q=look+for+something')),
  async '1,000 publications, one at a time'() {
    for (const one of several(200)) await send('POST', '/tools', one)
    await drain()
  },
  async '1,000 publications, 200 at a time'() {
    await send('POST', '/tools', several(200))
    await drain()
  },
}

/** Finds a row of the guide by its name. */
function rowOf(name: string): readonly string[] {
  const rows = guide.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.find(([, first]) => first === name)?.slice(2, -1) ?? []
}

/** Several times the duration on a busy machine. */
const LONG = { timeout: 300_000 }
it.each(Object.entries(WORK))('the guide has the counts of Cloudflare for %s', LONG, async (name, work) => {
  const operations = await operationsOf(work)
  const said = rowOf(name).map((cell) => Number(cell.replaceAll(',', '')))
  const counts = Object.values(operations).map((count, at) => {
    const of1000 = 5 * count
    const there = said[at] ?? NaN
    // Reading a row costs 1/1000 of writing one
    const most = COLUMNS[at] === 'rows read' ? there : there / 5
    return Math.abs(of1000 - there) <= most ? there : of1000
  })
  expect(counts, `Far from the guide's row '${name}'`).toEqual(said)
})

it('the guide has the counts of Cloudflare for 1,000 large outputs that are stored', async () => {
  // R2 uses the real date, and artifacts that are a day old are deleted
  vi.setSystemTime(Date.now() - 43_200_000)
  const of = prototypeOf(env.ARTIFACTS)
  const counts = { list: 0, put: 0, others: 0 }
  for (const method of ['list', 'put'] as const) spyOn(of, method, () => (counts[method] += 1))
  for (const method of ['get', 'head', 'delete']) spyOn(of, method, () => (counts.others += 1))
  vi.mocked(fetch).mockImplementation(async () => Response.json('x'.repeat(2_000)))
  for (let n = 0; n < 20; n += 1) await call({ context: { inline_bytes: 1_000 } })
  expect(counts).toEqual({ list: 20, put: 20, others: 0 })
  expect(rowOf('1,000 large outputs that are kept')).toEqual(['1,000 lists and 1,000 writes in R2'])
})

it('the guide has the counts of Cloudflare for a user with a grant, at rest', async () => {
  const world = createWorld()
  const user = world.user('ann')
  await consent(world, user)
  const databaseSize = await world.inVault(world.owner(user), (_, { storage }) => storage.sql.databaseSize)
  expect([`${databaseSize / 1_024} KiB`]).toEqual(rowOf('a user with a grant, at rest'))
})
