import { createExecutionContext, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RegistryObject } from '../src/storage/registry/registry-object.ts'
import type { Access } from '../src/storage/access/access-object.ts'
import type { Connect } from '../src/storage/connect/connect-object.ts'
import type { EventsObject } from '../src/storage/events/events-object.ts'
import type { IdempotencyStoreObject } from '../src/storage/idempotency/idempotency-store-object.ts'
import type { Records } from '../src/storage/records/records-object.ts'
import type { TasksObject } from '../src/storage/tasks/tasks-object.ts'
import type { VaultObject } from '../src/storage/vault/vault-object.ts'
import { createDispatcher } from '../src/dispatcher.ts'
import { type Env, loadConfig } from '../src/env.ts'
import { definition } from './e2e/definition.ts'
import { LISTED_TOOLS } from './extent.ts'
import { build } from './fixtures/generated/build.ts'

declare global {
  namespace Cloudflare {
    interface Env {
      readonly REGISTRY: KVNamespace
      readonly Registry: DurableObjectNamespace<RegistryObject>
      readonly Vault: DurableObjectNamespace<VaultObject>
      readonly IdempotencyStore: DurableObjectNamespace<IdempotencyStoreObject>
      readonly Access: DurableObjectNamespace<Access>
      readonly Connect: DurableObjectNamespace<Connect>
      readonly Records: DurableObjectNamespace<Records>
      readonly Tasks: DurableObjectNamespace<TasksObject>
      readonly Events: DurableObjectNamespace<EventsObject>
      readonly ARTIFACTS: R2Bucket
    }
  }
}

/** An isolate's requests to KV (by key) and to the Durable Object (by method). */
interface Counts {
  kv: string[]
  registry: string[]
}

const stub = (registryName: string) => env.Registry.getByName(registryName)
let registryName = ''
/** Work that requests left running. */
let background: Promise<unknown>[] = []

async function settled(): Promise<void> {
  await Promise.all(background)
  background = []
}

beforeEach(async () => {
  // A day ahead, so that no outbox alarm fires by itself: `drain` runs them
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  registryName = crypto.randomUUID()
  await reset()
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json('from afar'))
})
afterEach(async () => {
  await settled()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/**
 * Creates a separate isolate over this test's registry, as cold as after a start. The registry's responses are held back
 * until `answersArrive` resolves.
 */
function isolate(answersArrive: () => Promise<void> = async () => undefined) {
  const counts: Counts = { kv: [], registry: [] }
  const counted: Env = {
    ...env,
    REGISTRY: new Proxy(env.REGISTRY, {
      get(kv, method) {
        const real: unknown = Reflect.get(kv, method)
        if (typeof real !== 'function') return real
        return (keys: string | string[], ...rest: unknown[]) => {
          counts.kv.push(...[keys].flat())
          return Reflect.apply(real, kv, [keys, ...rest])
        }
      },
    }),
    Registry: new Proxy(env.Registry, {
      get: () => () =>
        new Proxy(stub(registryName), {
          get(registry, method) {
            return async (...given: unknown[]) => {
              counts.registry.push(String(method))
              const answer: unknown = await Reflect.apply(Reflect.get(registry, method), registry, given)
              await answersArrive()
              return answer
            }
          },
        }),
    }),
  }
  const app = createDispatcher(
    counted,
    loadConfig(Object.assign({ ...counted }, { ACCESS: 'open', LOG_CALLS: 'none' })),
    build,
  )
  return {
    counts,
    router: () => app.routerName(),
    async json(method: string, path: string, body?: unknown) {
      const context = createExecutionContext()
      context.waitUntil = (work) => void background.push(work)
      const request = new Request(`http://localhost${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      const response = await app.fetch(request, counted, context)
      const answer: { status: number; body: Answered } = { status: response.status, body: await response.json() }
      return answer
    },
    reset(): void {
      counts.kv = []
      counts.registry = []
    },
  }
}

interface Answered {
  readonly items: readonly { readonly id: string }[]
  readonly results: readonly { readonly status: number }[]
  readonly result: { readonly value: unknown }
  readonly message: string
}

const call = (app: ReturnType<typeof isolate>, tool_id: string, input: object = {}) =>
  app.json('POST', '/tools/call', { tool_id, input })

/** Makes the registry write everything that is pending to KV. */
async function drain(): Promise<void> {
  for (let run = 0; run < 100; run += 1) {
    const waiting = await runInDurableObject(stub(registryName), (_, { storage }) =>
      storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM outbox').one(),
    )
    if (waiting.n === 0) return
    vi.setSystemTime(Date.now() + 1_100)
    await runDurableObjectAlarm(stub(registryName))
  }
  throw new Error('The outbox does not empty')
}

async function publish(app: ReturnType<typeof isolate>, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 500) {
    const batch = Array.from({ length: Math.min(500, to - at) }, (_, n) =>
      definition(`Kit${(at + n) % 50}.T${at + n}@1.0.0`),
    )
    const { body } = await app.json('POST', '/tools', batch)
    expect(new Set(body.results.map(({ status }) => status))).toEqual(new Set([201]))
  }
}

it('a deployment does no I/O for a warm call of a bundled tool', async () => {
  const app = isolate()
  expect((await call(app, 'Calculator.Add', { a: 1, b: 2 })).body.result.value).toBe(3)
  app.reset()
  for (let n = 0; n < 200; n += 1) {
    expect((await call(app, 'Calculator.Add', { a: n, b: 1 })).body.result.value).toBe(n + 1)
  }
  await settled()
  expect(app.counts).toEqual({ kv: [], registry: [] })
})

it('a deployment responds to the first call of an isolate before the registry responds, if KV has the bundled tools', async () => {
  const cold = async () => {
    let arrive = () => {}
    const held = new Promise<void>((done) => (arrive = done))
    const app = isolate(() => held)
    const asked = call(app, 'Calculator.Add', { a: 1, b: 2 })
    const isFirst = Promise.race([asked.then(() => true), expect.poll(() => app.counts.registry.length).toBe(2)])
    return { app, isFirst: (await isFirst) === true, arrive, asked }
  }
  // KV is still empty, as after a deployment with a new version, whose toolkit may be disabled
  const first = await cold()
  expect(first.isFirst).toBe(false)
  first.arrive()
  expect((await first.asked).body.result.value).toBe(3)
  await settled()
  await drain()

  const second = await cold()
  expect(second.isFirst).toBe(true)
  expect((await second.asked).body.result.value).toBe(3)
  expect(second.app.counts).toEqual({ kv: ['policies/all', 'tool/calculator.add'], registry: ['installBundle'] })
  second.arrive()
})

it('a deployment matches paths by regular expressions, and not by a trie', async () => {
  const app = isolate()
  expect(app.router()).toBe('SmartRouter')
  await call(app, 'Calculator.Add', { a: 1, b: 2 })
  expect(app.router()).toBe('SmartRouter + RegExpRouter')
  // Each request loads a dialect and adds its routes
  for (const path of ['/mcp', '/machine-context/tools', '/worker/tools', '/plugin/describe']) {
    await app.json('GET', path)
    expect([path, app.router()]).toEqual([path, 'SmartRouter + RegExpRouter'])
  }
})

it('a deployment refreshes a tool once in the background of a call when its entry is five seconds old', async () => {
  const app = isolate()
  await call(app, 'Calculator.Add', { a: 1, b: 2 })
  await drain()
  // What this isolate took in itself it reads from the registry for a minute, and from KV after that, where policies are
  for (const [later, asked] of [
    [6_000, { kv: ['policies/all'], registry: ['value'] }],
    [70_000, { kv: ['policies/all', 'tool/calculator.add'], registry: [] }],
  ] as const) {
    vi.setSystemTime(Date.now() + later)
    app.reset()
    for (let n = 0; n < 20; n += 1) await call(app, 'Calculator.Add', { a: n, b: 1 })
    await settled()
    expect(app.counts).toEqual(asked)
  }
})

it('a deployment reads one KV key for a tool of another isolate, and nothing more while it is warm', async () => {
  await publish(isolate(), 0, 1)
  await drain()
  const app = isolate()
  await app.json('GET', '/tools/Calculator.Add')
  app.reset()
  expect((await app.json('GET', '/tools/Kit0.T0')).status).toBe(200)
  expect(app.counts).toEqual({ kv: ['tool/kit0.t0'], registry: [] })
  app.reset()
  for (let n = 0; n < 50; n += 1) await call(app, 'Kit0.T0')
  await settled()
  expect(app.counts).toEqual({ kv: [], registry: [] })
})

it('a deployment asks the registry if KV does not have a new tool yet, and calls it', async () => {
  const other = isolate()
  await other.json('GET', '/tools/Calculator.Add')
  const app = isolate()
  const { status } = await app.json('POST', '/tools', {
    definition: definition('Fresh.Tool@1.0.0'),
    implementation: { kind: 'http', method: 'GET', url: 'https://api.example.com/', response: { type: 'json' } },
  })
  expect(status).toBe(201)
  expect(await env.REGISTRY.get('tool/fresh.tool')).toBeNull()
  other.reset()
  expect((await call(other, 'Fresh.Tool')).body.result.value).toBe('from afar')
  expect(other.counts).toEqual({ kv: ['tool/fresh.tool'], registry: ['loadEntryOrNearest'] })
})

it('a deployment asks the registry once about an unknown name that is requested 50 times, and again after a while', async () => {
  const app = isolate()
  await app.json('GET', '/tools/Calculator.Add')
  app.reset()
  for (let n = 0; n < 50; n += 1) expect((await call(app, 'No.Such')).status).toBe(400)
  expect(app.counts).toEqual({ kv: ['tool/no.such'], registry: ['loadEntryOrNearest'] })
  vi.setSystemTime(Date.now() + 2_001)
  await call(app, 'No.Such')
  expect(app.counts.registry).toEqual(['loadEntryOrNearest', 'loadEntryOrNearest'])
})

it('a deployment does not cache a response that was under way when the tool was published', async () => {
  let arrive: (() => void) | undefined
  let held: Promise<void> | undefined
  const app = isolate(() => held ?? Promise.resolve())
  await app.json('GET', '/tools/Calculator.Add')
  held = new Promise((done) => (arrive = done))
  app.reset()
  const asked = call(app, 'Kit0.T0')
  await expect.poll(() => app.counts.registry).toEqual(['loadEntryOrNearest'])
  await runInDurableObject(stub(registryName), () => undefined)
  held = undefined
  await publish(app, 0, 1)
  arrive?.()
  expect((await asked).body.message).toContain('was not found')
  expect((await call(app, 'Kit0.T0')).body.message).toBe("Tool 'Kit0.T0@1.0.0' cannot be called here")
})

it(
  `a deployment reads as many keys to list 100 of ${LISTED_TOOLS} tools as of 500, and none when warm`,
  { timeout: 300_000 },
  async () => {
    const writer = isolate()
    const cost: Record<number, Counts> = {}
    let published = 0
    for (const size of [500, LISTED_TOOLS]) {
      await publish(writer, published, size)
      published = size
      await drain()
      const app = isolate()
      const { body } = await app.json('GET', '/tools?limit=100')
      expect(body.items.length).toBe(100)
      cost[size] = { ...app.counts }
      app.reset()
      for (const path of ['/tools?limit=100', '/tools?limit=20']) await app.json('GET', path)
      expect(app.counts).toEqual({ kv: [], registry: [] })
    }
    expect(cost[LISTED_TOOLS]?.kv.length).toBe(cost[500]?.kv.length)
    expect(cost[LISTED_TOOLS]?.kv.length).toBeLessThanOrEqual(5)
    expect(cost[LISTED_TOOLS]?.registry).toEqual(['installBundle'])
  },
)

it('a deployment lists every tool of a toolkit from KV only, wherever its page begins', async () => {
  await publish(isolate(), 0, 1_000)
  await drain()
  const app = isolate()
  for (let kit = 0; kit < 50; kit += 1) {
    const { body } = await app.json('GET', `/tools?toolkit=Kit${kit}&limit=100`)
    expect(body.items.length).toBe(20)
  }
  expect(app.counts.registry).toEqual(['installBundle'])
})

it('a deployment lists in a new isolate what was published before it started, even if KV is behind', async () => {
  const writer = isolate()
  await publish(writer, 0, 10)
  await drain()
  await publish(writer, 10, 20)
  const app = isolate()
  expect((await app.json('GET', '/tools?limit=1000')).body.items.length).toBe(20 + build.tools.length)
  expect(app.counts.registry).toContain('manifest')
})

it('a deployment lists from KV if API keys changed after the last publication', async () => {
  const writer = isolate()
  await publish(writer, 0, 10)
  await drain()
  expect(
    (await writer.json('POST', '/keys', { name: 'k', scopes: ['tools:read'], tools: ['*'], users: 'any' })).status,
  ).toBe(201)
  await drain()
  const app = isolate()
  await app.json('GET', '/tools')
  expect(app.counts.registry).toEqual(['installBundle'])
})
