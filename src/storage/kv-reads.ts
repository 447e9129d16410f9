import { withTimeout } from './reachable-stub.ts'

/** Null for a key that KV does not have, undefined where it failed or was too slow. `ttl` is in seconds. */
export interface KvReads {
  text(key: string, ttl: number): Promise<string | null | undefined>
  /** Without the keys that could not be read. */
  texts(keys: readonly string[], ttl: number): Promise<ReadonlyMap<string, string | null>>
  bytes(key: string, ttl: number): Promise<ArrayBuffer | null | undefined>
}

const WAIT_MS = 2_000
/** While KV hangs, reads skip it for so long, since each would wait. */
const REST_MS = 2_000

export function createKvReads(kv: KVNamespace, now: () => number): KvReads {
  let restsUntil = -Infinity

  async function read<T>(ask: () => Promise<T>): Promise<T | undefined> {
    const begun = now()
    if (begun < restsUntil) return undefined
    let isAnswered = false
    try {
      return await withTimeout(WAIT_MS, 'KV', async () => {
        try {
          return await ask()
        } finally {
          isAnswered = true
        }
      })
    } catch (error) {
      if (!isAnswered) restsUntil = now() + REST_MS
      console.warn(JSON.stringify({ event: 'kv-unread', error: String(error) }))
      return undefined
    }
  }

  return {
    text: (key, cacheTtl) => read(() => kv.get(key, { cacheTtl })),
    texts: async (keys, cacheTtl) => (await read(() => kv.get([...keys], { cacheTtl }))) ?? new Map(),
    bytes: (key, cacheTtl) => read(() => kv.get(key, { type: 'arrayBuffer', cacheTtl })),
  }
}
