import { parseTrusted } from '../core/tool/json-text.ts'
import { createKvReads } from './kv-reads.ts'
import { createPerSecond } from './lookup-budget.ts'
import { recentlyUsed } from '../core/tool/recently-used.ts'

export type KvReader = ReturnType<typeof createKvReader>

type ReadValue = (key: string) => Promise<string | ArrayBuffer | undefined>

/** KV's cache lifetimes, in seconds; 30 is the least that it takes. */
export const CHANGING_TTL_S = 30
export const IMMUTABLE_TTL_S = 86_400
/** Until the write is through, and caches elsewhere have expired. */
const BEHIND_MS = 2 * CHANGING_TTL_S * 1_000
const MAX_WRITTEN = 5_000
/** Per second, so that made-up keys cannot flood the Durable Object. */
const UNKNOWN_PER_S = 50

/** `value` reads a key from the Durable Object that writes it, as is done for those that the isolate itself changed. */
export function createKvReader(kv: KVNamespace, value: ReadValue, now: () => number) {
  const reads = createKvReads(kv, now)
  const written = recentlyUsed<number>(MAX_WRITTEN)
  const mayAsk = createPerSecond(UNKNOWN_PER_S, now)

  /** Written itself, or all that begins with its toolkit's name and the dot. */
  function isBehind(key: string): boolean {
    const isLate = (at: number | undefined) => at !== undefined && now() - at < BEHIND_MS
    return isLate(written.get(key)) || isLate(written.get(key.slice(0, key.indexOf('.') + 1)))
  }

  return {
    reads,
    isBehind,

    wrote(key: string): void {
      written.set(key, now())
    },

    /**
     * `ask` asks the Durable Object for keys that KV does not have; for those that KV fails to read it is asked anyway.
     */
    async read<Value>(key: string, unknown: 'ask' | 'believe') {
      if (isBehind(key)) return parsed<Value>(await value(key))
      const text = await reads.text(key, CHANGING_TTL_S)
      const isToAsk = text === undefined || (text === null && unknown === 'ask' && mayAsk())
      return parsed<Value>(isToAsk ? await value(key) : text)
    },

    async immutable(key: string, type: 'text' | 'bytes') {
      return (await reads[type](key, IMMUTABLE_TTL_S)) ?? (await value(key))
    },
  }
}

export function parsed<Value>(text: string | ArrayBuffer | null | undefined): Value | undefined {
  return typeof text === 'string' ? parseTrusted(text) : undefined
}
