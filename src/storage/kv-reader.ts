import { LRUCache } from 'lru-cache'
import { createKvReads } from './kv-reads.ts'
import { createPerSecond } from './per-second.ts'

export interface KvReaderOptions {
  readonly kv: KVNamespace
  /** Asks the Durable Object that writes the keys what is to lie under one. */
  readonly value: (key: string) => Promise<string | ArrayBuffer | undefined>
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}

/** For how long KV gives what it read once, in seconds; 30 is the least it takes. */
export const CHANGING_TTL_S = 30
export const IMMUTABLE_TTL_S = 86_400
/** For how long KV may go on giving what was before: the time that it takes to write, and that others keep what they read. */
const BEHIND_MS = 2 * CHANGING_TTL_S * 1_000
const MAX_WRITTEN = 5_000
/** Keys that KV does not know, and this isolate asks the Durable Object about, a second: whoever makes up keys must not hammer it. */
const UNKNOWN_PER_S = 50

/** KV as one isolate reads what changes there: what the isolate changed itself, it reads from the Durable Object that wrote it. */
export function createKvReader({ kv, value, now }: KvReaderOptions) {
  const reads = createKvReads(kv, now)
  /** When this isolate changed a key. */
  const written = new LRUCache<string, number>({ max: MAX_WRITTEN })
  const mayAsk = createPerSecond(UNKNOWN_PER_S, now)

  function isBehind(key: string): boolean {
    const at = written.get(key)
    return at !== undefined && now() - at < BEHIND_MS
  }

  return {
    /** Whether this isolate changed what lies under a key so lately that KV may not have it. */
    isBehind,

    /** Notes that this isolate changed what lies under a key. */
    wrote(key: string): void {
      written.set(key, now())
    },

    /**
     * What lies under a key as JSON; undefined when there is none. The Durable Object is asked in place of KV for what
     * was changed here, for what KV cannot tell, and, where `unknown` says so, for what it does not know yet.
     */
    async read<Value>(key: string, unknown: 'ask' | 'believe') {
      if (isBehind(key)) return parsed<Value>(await value(key))
      const text = await reads.text(key, CHANGING_TTL_S)
      const isToAsk = text === undefined || (text === null && unknown === 'ask' && mayAsk())
      return parsed<Value>(isToAsk ? await value(key) : text)
    },
  }
}

/** What a stored text of JSON says; undefined where there is none. */
export function parsed<Value>(text: string | ArrayBuffer | null | undefined): Value | undefined {
  return typeof text === 'string' ? JSON.parse(text) : undefined
}
