import type { Json } from '../../../src/core/tool/json.ts'
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { toListLine as writeLine } from '../../../src/dialects/oxp/encode.ts'
import type { Principal } from '../../../src/core/access/principal.ts'
import { prepareDocument } from '../../../src/core/publish/prepare.ts'
import type { Publication, PublicationResult } from '../../../src/core/publish/registry.ts'
import type { ToolEntry, ToolRecord } from '../../../src/core/tool/tool.ts'
import { machineContext } from '../../../src/dialects/machine-context/definition.ts'
import { oxp } from '../../../src/dialects/oxp/definition.ts'
import { applyUpdate, type Manifest } from '../../../src/storage/registry/catalog/manifest.ts'
import { parsePage } from '../../../src/storage/registry/catalog/listed-tools.ts'
import { defineRegistry, type RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import { sha256 } from '../../../src/storage/sealing/sha256.ts'
import { definition } from '../../e2e/definition.ts'

/** A principal that may see everything. */
export const ADMIN: Principal = { id: 'x', kind: 'admin', scopes: ['admin'], tools: ['*'], users: 'any' }

const Registry = defineRegistry(writeLine, () => ({ documents: 2_000, bytes: 100_000_000 }))

/** Stops the clock for each test, a day ahead, so that no alarm fires by itself. */
export function stopClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
    vi.spyOn(console, 'warn').mockReturnValue()
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
}

/**
 * Creates an in-memory KV without caches, with a log of writes and reads in order. It can be set to refuse or be slow.
 * `dangling` lists early writes: pages that the manifest named before they existed, or that were deleted while named.
 */
export function memoryKv() {
  const values = new Map<string, string>()
  const blobs = new Map<string, ArrayBuffer>()
  const log: { readonly key: string; readonly at: number }[] = []
  const reads: string[] = []
  const dangling: string[] = []

  function pagesOfManifest(): string[] {
    const { pages }: Pick<Manifest, 'pages'> = JSON.parse(values.get('catalogue/manifest') ?? '{"pages":[]}')
    return pages.map(({ hash }) => `catalogue/page/${hash}`)
  }

  function write(key: string, value: string): void {
    values.set(key, value)
    if (key === 'catalogue/manifest') dangling.push(...pagesOfManifest().filter((each) => !values.has(each)))
  }

  const get = (key: string) => {
    reads.push(key)
    return blobs.get(key) ?? values.get(key) ?? null
  }
  const kv = {
    values,
    blobs,
    log,
    reads,
    dangling,
    refuse: (_key: string): boolean => false,
    meanwhile: async (_key: string): Promise<void> => undefined,
    binding: new Proxy(env.REGISTRY, {
      get(_, method) {
        if (method === 'get') {
          return async (key: string | readonly string[]) =>
            typeof key === 'string' ? get(key) : new Map(key.map((each) => [each, get(each)]))
        }
        return async (key: string, value: string | ArrayBuffer) => {
          await kv.meanwhile(key)
          if (kv.refuse(key)) throw new Error('KV PUT failed: 429 Too Many Requests')
          log.push({ key, at: Date.now() })
          if (method === 'delete') {
            values.delete(key)
            dangling.push(...pagesOfManifest().filter((each) => each === key))
          } else if (typeof value === 'string') write(key, value)
          else blobs.set(key, value)
        }
      },
    }),
    keys: (prefix: string) => log.map(({ key }) => key).filter((key) => key.startsWith(prefix)),
  }
  return kv
}

export interface Harness {
  readonly registry: RegistryObject
  readonly sql: SqlStorage
  readonly kv: ReturnType<typeof memoryKv>
  readonly alarm: () => Promise<number | null>
  /** Moves the clock to the next alarm, and runs it. */
  readonly runAlarm: () => Promise<void>
  /** Drops the alarm, as the platform does if it cannot run. */
  readonly giveUpAlarm: () => Promise<void>
  /** Runs alarms until everything is published, and returns their number. */
  readonly drain: () => Promise<number>
  /** Creates another Durable Object on the same storage, as after a crash. */
  readonly restart: () => RegistryObject
}

/** Runs a test with a new registry and a new KV, in which no reference may ever dangle. */
export async function inRegistry(use: (harness: Harness) => Promise<void>): Promise<void> {
  const stub = env.Registry.getByName(crypto.randomUUID())
  await runInDurableObject(stub, async (_, state) => {
    const kv = memoryKv()
    const { sql } = state.storage
    const start = (): RegistryObject => new Registry(state, { REGISTRY: kv.binding })
    const harness = {
      registry: start(),
      sql,
      kv,
      alarm: () => state.storage.getAlarm(),
      giveUpAlarm: () => state.storage.deleteAlarm(),
      async runAlarm() {
        const at = await state.storage.getAlarm()
        if (at === null) throw new Error('No alarm is set')
        vi.setSystemTime(Math.max(at, Date.now()))
        await state.storage.deleteAlarm()
        await harness.registry.alarm()
      },
      async drain() {
        const waiting = () => {
          const left = `SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM page WHERE replicated < changed)
            + (SELECT count(*) FROM meta WHERE name GLOB 'fan-out *') AS n`
          return sql.exec<{ n: number }>(left).one().n
        }
        for (let runs = 0; ; runs += 1) {
          if (waiting() === 0) return runs
          expect(runs).toBeLessThan(50)
          await harness.runAlarm()
        }
      },
      restart: () => (harness.registry = start()),
    }
    await use(harness)
    expect(kv.dangling).toEqual([])
  })
}

/** Counts the table rows that some work reads and writes. */
export async function rowsOf(sql: SqlStorage, work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(sql, 'exec')
  await work()
  const rows = spy.mock.results.reduce(
    (sum, { type, value }) => (type === 'return' ? sum + value.rowsRead + value.rowsWritten : sum),
    0,
  )
  spy.mockRestore()
  return rows
}

/** Wraps a registry as a Worker sees it: arguments and results are copied. `asked` collects the called methods. */
export function stubOf(registry: RegistryObject, asked: string[]): DurableObjectStub<RegistryObject> {
  return new Proxy(env.Registry.getByName('of none'), {
    get: (_, method) => {
      const real: unknown = Reflect.get(registry, method)
      if (typeof real !== 'function') return undefined
      return async (...given: unknown[]) => {
        asked.push(String(method))
        return structuredClone(await Reflect.apply(real, registry, structuredClone(given)))
      }
    },
  })
}

/** The fields published with a definition. */
interface Beside {
  readonly tags?: readonly string[]
  readonly implementation?: object
}

/** Every toolkit already exists, so that none is renamed. */
const source = {
  findDocumentAddress: async () => undefined,
  loadCurrent: async () => undefined,
  loadRecord: async () => undefined,
  hasToolkit: async () => true,
}
/** The runner `echo` accepts any implementation of its kind. */
const RUNNERS = new Map([['echo', { kind: 'echo', check: () => [] }]])

export async function publication(
  id: string,
  given: Readonly<Record<string, unknown>> = {},
  beside: Beside = {},
): Promise<Publication> {
  const body = JSON.parse(JSON.stringify({ definition: definition(id, given), ...beside }))
  return publicationOf(body)
}

/** Builds the publication of a Machine Context document with these capabilities. */
export function documentPublication(
  id: string,
  version: string,
  names: readonly string[],
  beside: object = {},
): Promise<Publication> {
  const capabilities = names.map((name) => ({ name, description: `Does ${name}` }))
  return publicationOf({ definition: { id, name: id, version, description: 'Does it', capabilities }, ...beside })
}

async function publicationOf(body: Json): Promise<Publication> {
  const prepared = await prepareDocument(
    { kind: 'document', body },
    { codecs: [oxp, machineContext], runners: RUNNERS, sha256, source },
  )
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  const { records, document, specified } = prepared.value.publication
  return { records, ...(document ? { document } : {}), specified, allowBreaking: true }
}

/** Returns the outcome of a publication. */
export const outcomeOf = (result: PublicationResult) => (result.ok ? result.outcome : result.failure.type)

export async function record(id: string, given: Readonly<Record<string, unknown>> = {}): Promise<ToolRecord> {
  const [first] = (await publication(id, given)).records
  if (!first) throw new Error('No record')
  return first
}

export const publications = (from: number, to: number) =>
  Promise.all(Array.from({ length: to - from }, (_, n) => publication(`Kit${(from + n) % 9}.T${from + n}@1.0.0`)))

/** Lists the keys of all tools, as a reader finds them with only KV. */
export function listedIn(kv: ReturnType<typeof memoryKv>): string[] {
  const manifest: Manifest = JSON.parse(kv.values.get('catalogue/manifest') ?? '')
  const keys = manifest.pages.flatMap(({ hash }) => {
    const { index, records } = parsePage(kv.values.get(`catalogue/page/${hash}`) ?? '')
    expect(records()).toHaveLength(index.length)
    return index.map(({ key }) => key)
  })
  expect(manifest.count).toBe(keys.length)
  expect(new Set(keys).size).toBe(keys.length)
  return keys
}

/** Returns the registry's current manifest, as a reader without an earlier one gets it. */
export async function manifestOf(registry: RegistryObject): Promise<Manifest> {
  return applyUpdate(undefined, await registry.manifest())
}

/** Returns the registry's value for a KV key, as text. */
export function textOf(registry: RegistryObject, key: string): string | undefined {
  const value = registry.value(key)
  return typeof value === 'string' ? value : undefined
}

export function documentOf(registry: RegistryObject, key: string): ToolEntry {
  return JSON.parse(textOf(registry, `tool/${key}`) ?? 'null')
}
