import { Unreachable } from '../failure/failure.ts'
import type { Background } from '../tool/platform.ts'
import type { Store } from './memory.ts'

/** How long a value is good, in milliseconds since its loading began. */
export interface Ages {
  /** Given as it is. */
  readonly fresh: number
  /** Given, and loaded again behind the request (stale-while-revalidate, RFC 5861 section 3); as `fresh` where absent. */
  readonly stale?: number
  /** Given where loading fails with `Unreachable` (stale-if-error, RFC 5861 section 4). */
  readonly lastResort?: number
}

/** A value with the times that it is good until. */
export interface Entry<Value> {
  readonly value: Value
  readonly fresh: number
  freshUntil: number
  staleUntil: number
  readonly lastResortUntil: number
}

export interface KeptOptions<Value> {
  /** Bounds how many are kept, or how many bytes: a `Map`, an `LRUCache` or a part of the memory. */
  readonly store: Store<Entry<Value>>
  /** How long a value that was loaded is good; undefined where it is not to be kept. */
  readonly agesOf: (value: Value) => Ages | undefined
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}

export interface Kept<Value> {
  /**
   * The value of a key: at once where it is good, or else loaded. Where it is fresh no more, this request loads it again, in
   * the background if there is one, and others are given what there is meanwhile. No request awaits another's load, which
   * Workers forbid.
   */
  get(key: string, load: (key: string) => Promise<Value>, background?: Background): Value | Promise<Value>
  /** The value of a key however old it is, without loading it. */
  peek(key: string): Value | undefined
  /** Drops all values, or some. Of loads under way none is kept, for they may have read what was before. */
  forget(isIt?: (value: Value, key: string) => boolean): void
  /** As `forget`, but values can still be peeked at, and are the last resort. */
  expire(): void
}

/** Keeps values that are loaded, each for as long as its ages say. Promises are never kept. */
export function createKept<Value>({ store, agesOf, now }: KeptOptions<Value>): Kept<Value> {
  let generation = 0

  async function loadOf(key: string, load: (key: string) => Promise<Value>, before?: Entry<Value>): Promise<Value> {
    const begun = generation
    const at = now()
    try {
      const value = await load(key)
      const ages = begun === generation ? agesOf(value) : undefined
      if (ages) store.set(key, entryOf(value, ages, at))
      return value
    } catch (error) {
      const failedAt = now()
      const isLastResort = before && begun === generation && failedAt < before.lastResortUntil
      if (!(error instanceof Unreachable) || !isLastResort) throw error
      // Not every request is to wait for storage that does not answer
      before.freshUntil = before.staleUntil = Math.min(failedAt + before.fresh, before.lastResortUntil)
      return before.value
    }
  }

  return {
    get(key, load, background) {
      const hit = store.get(key)
      const at = now()
      if (!hit || at >= hit.staleUntil) return loadOf(key, load, hit)
      if (at < hit.freshUntil) return hit.value
      hit.freshUntil = at + hit.fresh
      const loading = loadOf(key, load, hit)
      if (!background) return loading
      background(loading)
      return hit.value
    },
    peek: (key) => store.get(key)?.value,
    forget(isIt) {
      generation += 1
      if (!isIt) return store.clear()
      const keys: string[] = []
      store.forEach(({ value }, key) => isIt(value, key) && keys.push(key))
      for (const key of keys) store.delete(key)
    },
    expire() {
      generation += 1
      store.forEach((entry) => {
        entry.freshUntil = entry.staleUntil = -Infinity
      })
    },
  }
}

function entryOf<Value>(value: Value, { fresh, stale = fresh, lastResort = stale }: Ages, at: number): Entry<Value> {
  return { value, fresh, freshUntil: at + fresh, staleUntil: at + stale, lastResortUntil: at + lastResort }
}
