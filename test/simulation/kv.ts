import type { Clock } from './clock.ts'
import { Fault, type Network } from './network.ts'
import type { Door } from './object-host.ts'
import { part } from './part.ts'
import type { Chance, Weather } from './weather.ts'

/** A key's value since a time; null after deletion. */
export interface Written {
  readonly at: number
  readonly value: string | null
}

interface ReadOptions {
  readonly cacheTtl?: number
  readonly type?: 'arrayBuffer'
}

/** KV accepts one write to a key in this time. */
const WRITE_INTERVAL_MS = 1_000
/** The longest time that a place remembers that a key is missing. */
const MISS_TTL_S = 60
/** A hanging read responds after this long. */
const HANGS_MS = 90_000

/**
 * Creates KV: one store, and a read cache in each place. A place returns a cached value for as long as the reader allowed. In
 * bad weather, a fresh read may itself be old, and older than the last value that was returned.
 */
export function createKv(options: {
  readonly clock: Clock
  readonly chance: Chance
  readonly weather: Weather
  readonly network: Network
}) {
  const { clock, chance, weather, network } = options
  const store = new Map<string, Written[]>()
  /** When a key was last written. */
  const taken = new Map<string, number>()
  const watchers: ((key: string, value: string | null) => void)[] = []

  /** Returns a key's value `ago` milliseconds ago. */
  function valueOf(key: string, ago = 0): string | null {
    return store.get(key)?.findLast(({ at }) => at <= clock.now() - ago)?.value ?? null
  }

  function refuse(what: string): void {
    if (chance.happens(weather.refused)) throw new Fault(`KV ${what} failed: 500 Internal Server Error`)
  }

  async function write(key: string, value: string | null): Promise<void> {
    const what = value === null ? `DELETE ${key}` : `PUT ${key}`
    await network.travel(`→ KV ${what}`)
    refuse(what)
    const written = store.get(key) ?? []
    if (clock.now() - (taken.get(key) ?? 0) < WRITE_INTERVAL_MS)
      throw new Fault(`KV ${what} failed: 429 Too Many Requests`)
    store.set(key, written)
    taken.set(key, clock.now())
    written.push({ at: clock.now(), value })
    for (const watch of watchers) watch(key, value)
    await network.travel(`← KV ${what}`)
  }

  return {
    valueOf,
    /** Lists all values that a key ever had. */
    history: (key: string): readonly Written[] => store.get(key) ?? [],
    /** Deletes all keys with a prefix, as KV never should by itself. */
    forget(start: string): void {
      for (const [key, written] of store) if (key.startsWith(start)) written.push({ at: clock.now(), value: null })
    },
    /** Reports every write as it takes effect. */
    watch: (watch: (key: string, value: string | null) => void): unknown => watchers.push(watch),

    /** KV as an object writes it. */
    writer: (door: Door): KVNamespace =>
      part<KVNamespace>({
        put: (key, value) => door(() => write(key, textOf(value))),
        delete: (key) => door(() => write(key, null)),
      }),

    /** KV as read in one place. */
    place() {
      const cache = new Map<string, { readonly value: string | null; readonly until: number }>()

      function read(key: string, ttlS: number): string | null {
        const cached = cache.get(key)
        if (cached && clock.now() < cached.until) return cached.value
        const value = valueOf(key, weather.lag === 0 ? 0 : chance.below(weather.lag + 1))
        const kept = value === null ? Math.min(ttlS, MISS_TTL_S) : ttlS
        cache.set(key, { value, until: clock.now() + kept * 1_000 })
        return value
      }

      const get = async (keys: string | readonly string[], { cacheTtl = 60, type }: ReadOptions = {}) => {
        const what = typeof keys === 'string' ? keys : `${keys[0]} and others`
        await network.travel(`→ KV GET ${what}`)
        if (chance.happens(weather.hanging)) await clock.sleep(HANGS_MS)
        refuse(`GET ${what}`)
        const found =
          typeof keys === 'string' ? read(keys, cacheTtl) : new Map(keys.map((key) => [key, read(key, cacheTtl)]))
        await network.travel(`← KV GET ${what}`)
        return type === 'arrayBuffer' && typeof found === 'string' ? bytesOf(found) : found
      }
      const kv: KVNamespace = Object.assign(Object.create(null), { get })
      return kv
    },
  }
}

/** Converts a written value to text, with one character for each byte. */
function textOf(value: unknown): string {
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : String(value)
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, 'latin1')).buffer
}

export type Kv = ReturnType<typeof createKv>
