import { parseTrusted } from '../core/tool/json-text.ts'
import { createKvClient } from './kv-client.ts'
import { createRateCounter } from './lookup-budget.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

export type KvReader = ReturnType<typeof createKvReader>

type ReadValue = (key: string) => Promise<string | ArrayBuffer | undefined>

/** KV's cache lifetimes, in seconds. 30 is KV's minimum. */
export const CHANGING_TTL_S = 30
export const IMMUTABLE_TTL_S = 86_400
/** How long a write may take to reach KV and replace cached values elsewhere. */
const KV_LAG_MS = 2 * CHANGING_TTL_S * 1_000
const MAX_WRITTEN = 5_000
/** Per second, so that made-up keys cannot flood the Durable Object. */
export const MAX_MISSES_PER_S = 50

/** Reads keys from KV. `readFromObject` reads keys that this isolate just changed from the Durable Object that writes them. */
export function createKvReader(kv: KVNamespace, readFromObject: ReadValue, now: () => number) {
  const reads = createKvClient(kv, now)
  const writtenAt = createLruCache<number>(MAX_WRITTEN)
  const mayReadThrough = createRateCounter(MAX_MISSES_PER_S, now)

  /** Whether this isolate recently changed the key, or the toolkit whose name and dot the key begins with. */
  function isLagging(key: string): boolean {
    const isLate = (at: number | undefined) => at !== undefined && now() - at < KV_LAG_MS
    return isLate(writtenAt.get(key)) || isLate(writtenAt.get(key.slice(0, key.indexOf('.') + 1)))
  }

  async function load<Value>(key: string, mayAskOnMiss: () => boolean): Promise<Value | undefined> {
    if (!isLagging(key)) {
      const text = await reads.text(key, CHANGING_TTL_S)
      if (text !== undefined && (text !== null || !mayAskOnMiss())) return parseKvJson<Value>(text)
    }
    return parseKvJson<Value>(await readFromObject(key))
  }

  return {
    reads,
    isLagging,

    markWritten(key: string): void {
      writtenAt.set(key, now())
    },

    /** Returns undefined if KV does not have the key. If KV fails, asks the Durable Object. */
    read: <Value>(key: string) => load<Value>(key, () => false),

    /** Also asks the Durable Object if KV does not have the key. */
    readThrough: <Value>(key: string) => load<Value>(key, mayReadThrough),

    async immutable(key: string, type: 'text' | 'bytes') {
      return (await reads[type](key, IMMUTABLE_TTL_S)) ?? (await readFromObject(key))
    },
  }
}

export function parseKvJson<Value>(text: string | ArrayBuffer | null | undefined): Value | undefined {
  return typeof text === 'string' ? parseTrusted(text) : undefined
}
