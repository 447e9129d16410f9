import { createHash } from 'node:crypto'
import type { GeneratorValue, Scheduler } from 'fast-check'
import { vi } from 'vitest'
import type { Bundle } from '../../src/storage/registry/write/bundle.ts'
import { accessStub } from '../../src/storage/access/access-object.ts'
import { registryStub } from '../../src/storage/registry/registry-stub.ts'
import { createClock } from './clock.ts'
import { createIsolate } from './isolate.ts'
import { createKv } from './kv.ts'
import { createNetwork, isFault } from './network.ts'
import { createObjects } from './objects.ts'
import { part } from './part.ts'
import { createProvider } from './provider.ts'
import { createChance, drawWeather, isFair } from './weather.ts'

/** Longer than any simulation should take: one that is not done by then hangs. */
const MAX_ELAPSED_MS = 3_600_000
const NO_BUNDLE = { hash: 'none', records: [], documents: [] }

/** A deployment: its bundled tools, and its time in milliseconds since 1970. */
export interface Deployment {
  readonly bundle: Bundle
  readonly deployedAt: number
}

const settled = setImmediate

type RegistryNamespace = Parameters<typeof registryStub>[0]
type AccessNamespace = Parameters<typeof accessStub>[0]

/** Creates a deployment in one process: its objects, its isolates and the network, all controlled by the seed. */
export function createWorld(scheduler: Scheduler, draw: GeneratorValue) {
  const clock = createClock()
  const chance = createChance(draw)
  const weather = drawWeather(chance)
  const wasFair = isFair(weather)
  const trace: string[] = []
  const defects: unknown[] = []
  const note = (event: string) => void trace.push(`${(clock.elapsed() / 1_000).toFixed(3)} ${event}`)
  const network = createNetwork({ scheduler, clock, chance, weather, note })
  const kv = createKv({ clock, chance, weather, network })
  const platform = { clock, chance, weather, network, note, defect: (error: unknown) => void defects.push(error) }
  standIn(chance.below(2 ** 31))

  const provider = createProvider(platform)
  const objects = createObjects(platform, kv, provider)
  const { registry, access, idempotencyStores, vaults } = objects

  /** Handles errors of work after a response: it may fail, but not because of the code. */
  function unlessFault(error: unknown): void {
    if (!isFault(error)) defects.push(error)
  }

  /**
   * Starts an isolate in a new place, or in one that other isolates have used. By default, its deployment has no bundled
   * tools.
   */
  function startIsolate(place = kv.place(), deployment: Deployment = { bundle: NO_BUNDLE, deployedAt: clock.now() }) {
    const made = createIsolate({
      clock,
      ahead: chance.below(8_001) - 4_000,
      kv: place,
      registry: registryStub(part<RegistryNamespace>({ getByName: () => registry.stub() })),
      access: accessStub(part<AccessNamespace>({ getByName: () => access.stub() })),
      idempotencyStores,
      vaults,
      newId: () => crypto.randomUUID(),
      unlessFault,
      ...deployment,
    })
    return { ...made, place }
  }

  /** Runs one message or timer at a time until all of the work is done. */
  async function run(work: readonly Promise<unknown>[], maxElapsedMs = MAX_ELAPSED_MS): Promise<void> {
    let isOver = false
    const all = Promise.all(work).finally(() => (isOver = true))
    all.catch(() => undefined)
    for (;;) {
      await new Promise((done) => settled(done))
      if (defects.length > 0) throw defects[0]
      if (isOver) return void (await all)
      if (clock.elapsed() > maxElapsedMs) throw new Error('It never ends')
      await step()
    }
  }

  async function step(): Promise<void> {
    const due = network.due()
    const next = clock.next()
    if (due === undefined) {
      if (next === undefined) throw new Error('Nothing will ever happen any more')
      return clock.ring()
    }
    // No message takes longer than allowed: until it has arrived, the clock does not pass its deadline
    const left = due - clock.now()
    if (left > 0) clock.pass(chance.below(Math.min(left, 40) + 1))
    if (next !== undefined && next <= clock.now()) clock.ring()
    else await network.deliver()
  }

  return {
    ...platform,
    kv,
    registry,
    access,
    databases: objects.databases,
    openEvents: objects.openEvents,
    provider,
    /** Whether no faults occur. */
    isFair: wasFair,
    startIsolate,
    run,
    unlessFault,
    trace: (): readonly string[] => trace,
    close(): void {
      objects.close()
      vi.unstubAllGlobals()
    },
  }
}

/** Makes the platform's cryptography finish at once and its random values depend on the seed, so that runs are repeatable. */
function standIn(seed: number): void {
  let count = 0
  const random = (size: number) => {
    count += 1
    return createHash('shake256', { outputLength: size }).update(`${seed} ${count}`).digest()
  }
  const subtle = part<SubtleCrypto>({
    digest: async (_, data) => new Uint8Array(createHash('sha256').update(bytesOf(data)).digest()).buffer,
  })
  const fake = part<Crypto>({
    subtle,
    randomUUID() {
      const hex = random(16).toString('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    },
    getRandomValues(array) {
      if (array instanceof Uint8Array) array.set(random(array.length))
      return array
    },
  })
  vi.stubGlobal('crypto', fake)
  vi.spyOn(Math, 'random').mockImplementation(() => random(4).readUInt32BE() / 2 ** 32)
}

const bytesOf = (data: BufferSource) =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

export type World = ReturnType<typeof createWorld>
export type Place = ReturnType<World['startIsolate']>
