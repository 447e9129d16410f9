import { LRUCache } from 'lru-cache'
import { UnreachableError } from '../failure/failure.ts'
import type { WaitUntil } from '../tool/platform.ts'

/** In milliseconds since loading began. */
export interface CacheAges {
  readonly fresh: number
  /** Returned while it is reloaded (stale-while-revalidate, RFC 5861 section 3). */
  readonly stale?: number
  /** Returned if loading fails with `UnreachableError` (stale-if-error, RFC 5861 section 4). */
  readonly staleIfError?: number
}

export interface CacheEntry<Value> {
  readonly value: Value
  readonly fresh: number
  freshUntil: number
  staleUntil: number
  readonly lastResortUntil: number
}

interface SwrCacheOptions<Value> {
  readonly store: CacheStore<CacheEntry<Value>>
  readonly getAges: (value: Value) => CacheAges | undefined
  readonly now: () => number
}

export function createSwrCache<Value>({ store, getAges, now }: SwrCacheOptions<Value>) {
  let generation = 0

  async function loadEntry(
    key: string,
    load: (key: string) => Promise<Value>,
    before?: CacheEntry<Value>,
  ): Promise<Value> {
    const startGeneration = generation
    const at = now()
    try {
      const value = await load(key)
      const ages = startGeneration === generation ? getAges(value) : undefined
      if (!ages) return value
      const { fresh, stale = fresh, staleIfError = stale } = ages
      const until = { freshUntil: at + fresh, staleUntil: at + stale, lastResortUntil: at + staleIfError }
      store.set(key, { value, fresh, ...until })
      return value
    } catch (error) {
      const failedAt = now()
      const isLastResort = before && startGeneration === generation && failedAt < before.lastResortUntil
      if (!(error instanceof UnreachableError) || !isLastResort) throw error
      // Do not make every request wait for storage that does not respond
      before.freshUntil = before.staleUntil = Math.min(failedAt + before.fresh, before.lastResortUntil)
      return before.value
    }
  }

  return {
    /**
     * One request reloads a stale value, in `background` if there is one, and other requests get the stale value meanwhile.
     * No request awaits another's load, which Workers forbid.
     */
    get(key: string, load: (key: string) => Promise<Value>, background?: WaitUntil): Value | Promise<Value> {
      const hit = store.get(key)
      const at = now()
      if (!hit || at >= hit.staleUntil) return loadEntry(key, load, hit)
      if (at < hit.freshUntil) return hit.value
      hit.freshUntil = at + hit.fresh
      const loading = loadEntry(key, load, hit)
      if (!background) return loading
      background(loading)
      return hit.value
    },
    peek: (key: string) => store.get(key)?.value,
    /** Also discards values that are being loaded, since they may have been read before the change. */
    invalidate(isIt?: (value: Value, key: string) => boolean): void {
      generation += 1
      if (!isIt) return store.clear()
      const keys: string[] = []
      store.forEach(({ value }, key) => isIt(value, key) && keys.push(key))
      for (const key of keys) store.delete(key)
    },
    /** Makes every value reload. Until then, values can still be peeked at and serve as the last resort. */
    expire(): void {
      generation += 1
      store.forEach((entry) => {
        entry.freshUntil = entry.staleUntil = -Infinity
      })
    },
  }
}

/** Entries may be dropped at any time. A `Map` and an `LRUCache` are such stores. */
export interface CacheStore<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): unknown
  delete(key: string): unknown
  clear(): void
  forEach(each: (value: Value, key: string) => void): void
}

export type CacheMemory = ReturnType<typeof createCacheMemory>

interface Weighed<Value> {
  readonly value: Value
  readonly drop: () => void
}

const LARGEST = 0.25

export function createCacheMemory(maxBytes: number) {
  const lru = new LRUCache<Weighed<unknown>, true>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes * LARGEST),
    dispose: (_, entry) => entry.drop(),
  })
  return {
    partition<Value>(countBytes: (value: Value, key: string) => number): CacheStore<Value> {
      const entries = new Map<string, Weighed<Value>>()
      return {
        get(key) {
          const entry = entries.get(key)
          if (entry) lru.get(entry)
          return entry?.value
        },
        has: (key) => entries.has(key),
        set(key, value) {
          const before = entries.get(key)
          if (before) lru.delete(before)
          const entry = { value, drop: () => void entries.delete(key) }
          entries.set(key, entry)
          lru.set(entry, true, { size: Math.max(1, Math.ceil(countBytes(value, key))) })
          if (!lru.has(entry)) entries.delete(key)
        },
        delete(key) {
          const entry = entries.get(key)
          if (entry) lru.delete(entry)
        },
        forEach: (each) => entries.forEach(({ value }, key) => each(value, key)),
        clear() {
          for (const entry of entries.values()) lru.delete(entry)
        },
      }
    },
  }
}

const OVERHEAD = 64
const TWO_BYTES = /[^\0-\u00ff]/

/** Counts one byte per character for Latin-1 text and two for other text, as engines store them. */
export function textBytes(text: string): number {
  return text.length * (TWO_BYTES.test(text) ? 2 : 1) + OVERHEAD
}
