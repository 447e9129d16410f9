import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineRegistry, type RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import { sha256 } from '../../../src/storage/sha256.ts'
import { writeLine } from '../../../src/app.ts'
import { prepareDocument } from '../../../src/core/publish/prepare.ts'
import type { Publication } from '../../../src/core/publish/registry.ts'
import type { ToolDocument, ToolRecord } from '../../../src/core/tool/tool.ts'
import { oxp } from '../../../src/dialects/oxp/definition.ts'
import { definition } from '../../e2e/definition.ts'

const Registry = defineRegistry({ writeLine })

beforeEach(() => {
  // A day ahead, so that no alarm comes due by itself: `runAlarm` runs them
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  vi.spyOn(console, 'warn').mockReturnValue()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** KV in memory, with a log of what was done in which order. It can be told to refuse, or to be slow. */
function memoryKv() {
  const values = new Map<string, string>()
  const blobs = new Map<string, ArrayBuffer>()
  const log: { readonly key: string; readonly at: number }[] = []
  const kv = {
    values,
    blobs,
    log,
    refuse: (_key: string): boolean => false,
    meanwhile: async (_key: string): Promise<void> => undefined,
    binding: new Proxy(env.REGISTRY, {
      get(_, method) {
        return async (key: string, value: string | ArrayBuffer) => {
          await kv.meanwhile(key)
          if (kv.refuse(key)) throw new Error('KV PUT failed: 429 Too Many Requests')
          log.push({ key, at: Date.now() })
          if (method === 'put' && typeof value !== 'string') blobs.set(key, value)
          else if (method === 'put') values.set(key, String(value))
          else values.delete(key)
        }
      },
    }),
    keys: (prefix: string) => log.map(({ key }) => key).filter((key) => key.startsWith(prefix)),
  }
  return kv
}

interface Harness {
  readonly registry: RegistryObject
  readonly kv: ReturnType<typeof memoryKv>
  readonly alarm: () => Promise<number | null>
  /** Lets the time of the next alarm come. */
  readonly runAlarm: () => Promise<void>
  /** Lets alarms come until everything is published, and gives how many there were. */
  readonly drain: () => Promise<number>
  /** Another Durable Object on the same storage, as after a crash. */
  readonly restart: () => RegistryObject
}

async function inRegistry(use: (harness: Harness) => Promise<void>): Promise<void> {
  const stub = env.Registry.getByName(crypto.randomUUID())
  await runInDurableObject(stub, async (_, state) => {
    const kv = memoryKv()
    const start = (): RegistryObject => new Registry(state, { REGISTRY: kv.binding })
    const harness = {
      registry: start(),
      kv,
      alarm: () => state.storage.getAlarm(),
      async runAlarm() {
        const at = await state.storage.getAlarm()
        if (at === null) throw new Error('No alarm is set')
        vi.setSystemTime(Math.max(at, Date.now()))
        await state.storage.deleteAlarm()
        await harness.registry.alarm()
      },
      async drain() {
        const waiting = () => state.storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM outbox').one().n
        for (let runs = 0; ; runs += 1) {
          if (waiting() === 0) return runs
          expect(runs).toBeLessThan(50)
          await harness.runAlarm()
        }
      },
      restart: () => (harness.registry = start()),
    }
    await use(harness)
  })
}

async function publication(id: string, given: Readonly<Record<string, unknown>> = {}): Promise<Publication> {
  const body = JSON.parse(JSON.stringify(definition(id, given)))
  const prepared = await prepareDocument({ body }, { codecs: [oxp], runners: new Map(), sha256 })
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  return { records: prepared.value.records, given: prepared.value.given, allowBreaking: true }
}

async function record(id: string, given: Readonly<Record<string, unknown>> = {}): Promise<ToolRecord> {
  const [first] = (await publication(id, given)).records
  if (!first) throw new Error('No record')
  return first
}

const publications = (from: number, to: number) =>
  Promise.all(Array.from({ length: to - from }, (_, n) => publication(`Kit${(from + n) % 9}.T${from + n}@1.0.0`)))

/** The keys of all tools, as a reader finds them who has KV alone. */
function listedIn(kv: ReturnType<typeof memoryKv>): string[] {
  const head: { count: number; leaves: { lines: string; records: string }[] } = JSON.parse(
    kv.values.get('catalogue/head') ?? '',
  )
  const keys = head.leaves.flatMap(({ lines, records }) => {
    expect(kv.values.has(`catalogue/page/${records}`)).toBe(true)
    const [index = '[]'] = (kv.values.get(`catalogue/page/${lines}`) ?? '').split('\n')
    return JSON.parse(index).map(({ key }: { key: string }) => key)
  })
  expect(head.count).toBe(keys.length)
  return keys
}

function documentOf(registry: RegistryObject, key: string): ToolDocument {
  return JSON.parse(registry.document(key) ?? 'null')
}

describe('the outbox', () => {
  it('publishes 1,000 tools for one document each, a page or two for every 64, and one head, which comes last', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 1_000))
      await drain()
      expect(kv.keys('tool/').length).toBe(1_000)
      expect(kv.keys('catalogue/page/').length).toBeLessThanOrEqual(40)
      expect(kv.keys('catalogue/head').length).toBe(1)
      expect(kv.keys('record/')).toEqual([])
      expect(kv.log.at(-1)?.key).toBe('catalogue/head')
      expect(listedIn(kv).length).toBe(1_000)

      // One more tool rewrites the two pages it is on
      kv.log.length = 0
      await registry.publish(await publications(1_000, 1_001))
      await drain()
      expect(kv.keys('').length).toBe(4)
      expect(kv.keys('catalogue/page/').length).toBe(2)
      expect(listedIn(kv).length).toBe(1_001)
    }))

  it('lands everything in the end when KV fails again and again, later each time, the head last', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      let tries = 0
      let failures = 0
      kv.refuse = () => {
        tries += 1
        if (failures === 7 || tries % 13 !== 0) return false
        failures += 1
        return true
      }
      await registry.publish(await publications(0, 150))
      await drain()
      expect(failures).toBe(7)
      expect(kv.log.at(-1)?.key).toBe('catalogue/head')
      expect(listedIn(kv).length).toBe(150)
      expect([...kv.values.keys()].filter((key) => key.startsWith('tool/')).length).toBe(150)
    }))

  it('tries again after longer and longer waits, whatever else is published meanwhile', () =>
    inRegistry(async ({ registry, kv, runAlarm, alarm, drain }) => {
      kv.refuse = () => true
      const waits: number[] = []
      for (let n = 0; n < 9; n += 1) {
        await registry.publish(await publications(n, n + 1))
        await runAlarm()
        waits.push(((await alarm()) ?? 0) - Date.now())
      }
      expect(waits).toEqual([...waits].sort((a, b) => a - b))
      expect(new Set(waits).size).toBeGreaterThan(5)
      expect(Math.max(...waits)).toBe(60_000)
      kv.refuse = () => false
      await drain()
      expect(listedIn(kv).length).toBe(9)
    }))

  it('writes a key that changes over and over no more than once a second', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 1))
      await drain()
      kv.log.length = 0
      kv.meanwhile = async (key) => {
        // Changes that come while a run writes
        if (kv.log.length < 60) await registry.setStatus('kit0.t0', '1.0.0', { state: 'deprecated', message: key })
      }
      for (let n = 0; n < 100; n += 1) {
        await registry.setStatus('kit0.t0', '1.0.0', { state: 'deprecated', message: String(n) })
        if (n % 10 === 9) await runAlarm()
      }
      await drain()
      for (const key of ['tool/kit0.t0', 'catalogue/head']) {
        const times = kv.log.filter((each) => each.key === key).map(({ at }) => at)
        expect(times.length).toBeGreaterThan(5)
        times.slice(1).forEach((at, index) => expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(1_000))
      }
      expect(JSON.parse(kv.values.get('tool/kit0.t0') ?? '')).toEqual(documentOf(registry, 'kit0.t0'))
    }))

  it('never has a head name what has not landed, while publications come in', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      let next = 0
      kv.meanwhile = async () => {
        if (next < 600 && next % 3 === 0) await registry.head()
        if (next < 600) await registry.publish(await publications(next, (next += 1)))
      }
      await registry.publish(await publications(600, 640))
      while (next < 600) {
        await runAlarm()
        if (!kv.values.has('catalogue/head')) continue
        for (const tool of listedIn(kv)) expect(kv.values.has(`tool/${tool}`)).toBe(true)
      }
      expect(kv.keys('catalogue/head').length).toBeGreaterThan(3)
      await drain()
      expect(listedIn(kv).length).toBe(640)
    }))

  it('publishes a head again that was old by the time it landed', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      kv.meanwhile = async (key) => {
        if (key !== 'catalogue/head') return
        kv.meanwhile = async () => undefined
        await registry.publish(await publications(3, 4))
        await registry.head()
      }
      await registry.publish(await publications(0, 3))
      await drain()
      expect(listedIn(kv).length).toBe(4)
      expect(kv.keys('catalogue/head').length).toBe(2)
    }))

  it('publishes at once although the next alarm was for sweeping old pages', () =>
    inRegistry(async ({ registry, kv, drain, alarm }) => {
      await registry.publish(await publications(0, 5))
      await drain()
      await registry.publish(await publications(5, 6))
      await drain()
      expect(((await alarm()) ?? 0) - Date.now()).toBeGreaterThan(60_000)
      await registry.publish(await publications(6, 7))
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(1_100)
      await drain()
      expect(listedIn(kv).length).toBe(7)
    }))

  it('deletes pages some minutes after no head names them, and no other', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      for (let n = 0; n < 5; n += 1) {
        await registry.publish(await publications(n, n + 1))
        await drain()
      }
      const pages = () => [...kv.values.keys()].filter((key) => key.startsWith('catalogue/page/')).length
      expect(pages()).toBeGreaterThan(2)
      const start = Date.now()
      while (pages() > 2) await runAlarm()
      expect(Date.now() - start).toBeGreaterThan(5 * 60_000)
      expect(listedIn(kv).length).toBe(5)
    }))

  it('goes on where it was after a crash in the middle', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain, restart }) => {
      kv.refuse = () => kv.log.length >= 30
      await registry.publish(await publications(0, 100))
      await runAlarm()
      expect(kv.values.has('catalogue/head')).toBe(false)
      kv.refuse = () => false
      const again = restart()
      await again.takeIn('', { at: 0 })
      await drain()
      expect(listedIn(kv).length).toBe(100)
    }))

  it('lands a page that was touched and came out the same while it waited', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 3))
      let touched = false
      kv.meanwhile = async () => {
        if (touched) return
        touched = true
        await registry.setStatus('kit0.t0', '1.0.0', { state: 'active' })
      }
      await drain()
      expect(listedIn(kv).length).toBe(3)
    }))
})

describe('the bundle', () => {
  const HOUR = 3_600_000
  const bundleOf = (...records: ToolRecord[]) => records

  const stateOf = (registry: RegistryObject, key: string) =>
    documentOf(registry, key).versions.map(({ version, status }) => `${version} ${status.state}`)

  it('is wanted once, from the newest deployment, and never from an older one', () =>
    inRegistry(async ({ registry }) => {
      const old = bundleOf(await record('Kit.A@1.0.0', { description: 'old' }))
      const fresh = bundleOf(await record('Kit.A@1.0.0', { description: 'fresh' }), await record('Kit.B@1.0.0'))
      const described = () => documentOf(registry, 'kit.a').newest?.description
      expect(await registry.takeIn('old', { at: 5 * HOUR })).toMatchObject({ wanted: true })
      await registry.takeIn('old', { at: 5 * HOUR }, old)
      expect(described()).toBe('old')
      expect(await registry.takeIn('old', { at: 5 * HOUR })).toMatchObject({ wanted: false })
      expect(await registry.takeIn('fresh', { at: 7 * HOUR })).toMatchObject({ wanted: true })
      await registry.takeIn('fresh', { at: 7 * HOUR }, fresh)
      expect(described()).toBe('fresh')
      for (const at of [5 * HOUR, 6 * HOUR]) {
        expect(await registry.takeIn('old', { at })).toMatchObject({ wanted: false })
        await registry.takeIn('old', { at }, old)
        expect(described()).toBe('fresh')
        expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 active'])
      }
      // The same bundle in a newer deployment makes those before that one old
      await registry.takeIn('fresh', { at: 9 * HOUR })
      expect(await registry.takeIn('old', { at: 8 * HOUR })).toMatchObject({ wanted: false })
      expect(await registry.takeIn('old', { at: 10 * HOUR })).toMatchObject({ wanted: true })
    }))

  it('disables a tool that leaves, and has it back as it was when it returns', () =>
    inRegistry(async ({ registry }) => {
      const a = await record('Kit.A@1.0.0')
      const b = await record('Kit.B@1.0.0')
      const listed = () =>
        registry
          .query({ versions: 'all', limit: 10 }, 10, { id: 'x', kind: 'admin', scopes: [], tools: ['*'], users: 'any' })
          ?.found.map(({ cursor }) => cursor)
      await registry.takeIn('both', { at: 1 }, [a, b])
      await registry.takeIn('one', { at: 2 }, [a])
      expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 disabled'])
      expect(listed()).toEqual(['kit.a@1.0.0'])
      await registry.takeIn('both', { at: 3 }, [a, b])
      expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 active'])
      expect(listed()).toEqual(['kit.a@1.0.0', 'kit.b@1.0.0'])
    }))

  it('leaves what a person said of a tool, whatever deployments carry', () =>
    inRegistry(async ({ registry }) => {
      const a = await record('Kit.A@1.0.0')
      const changed = await record('Kit.A@1.0.0', { description: 'changed' })
      await registry.takeIn('1', { at: 1 }, [a])
      await registry.setStatus('kit.a', '1.0.0', { state: 'disabled' })
      await registry.takeIn('2', { at: 2 }, [changed])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.takeIn('3', { at: 3 }, [])
      await registry.takeIn('4', { at: 4 }, [a])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.setStatus('kit.a', '1.0.0', { state: 'deprecated', message: 'm' })
      await registry.takeIn('5', { at: 5 }, [])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.takeIn('6', { at: 6 }, [changed])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 deprecated'])
    }))

  it('takes the place of what was published under its id, and keeps the other versions', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish([
        await publication('Kit.A@1.0.0', { description: 'foreign' }),
        await publication('Kit.A@0.9.0'),
      ])
      await registry.takeIn('1', { at: 1 }, [await record('Kit.A@1.0.0')])
      expect(documentOf(registry, 'kit.a').newest?.description).toBe('What Kit.A does')
      expect(stateOf(registry, 'kit.a').sort()).toEqual(['0.9.0 active', '1.0.0 active'])
      await registry.takeIn('2', { at: 2 }, [])
      expect(stateOf(registry, 'kit.a').sort()).toEqual(['0.9.0 active', '1.0.0 disabled'])
      expect(documentOf(registry, 'kit.a').newest?.version).toBe('0.9.0')
    }))
})

describe('bytes', () => {
  it('are kept by their hash, whatever their size, and published once', async () => {
    await inRegistry(async ({ registry, kv, drain, restart }) => {
      const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 7) % 256).buffer
      await registry.putBlob('a-hash', bytes)
      expect(await registry.blob('a-hash')).toEqual(bytes)
      await drain()
      expect(kv.blobs.get('blob/a-hash')).toEqual(bytes)
      await restart().putBlob('a-hash', bytes)
      await drain()
      expect(kv.keys('blob/')).toEqual(['blob/a-hash'])
      expect(await restart().blob('a-hash')).toEqual(bytes)
      expect(await registry.blob('another')).toBeUndefined()
    })
  })
})
