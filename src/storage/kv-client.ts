import { withTimeout } from './reachable-stub.ts'

const WAIT_MS = 2_000
/** When KV hangs, reads skip it for this long, because each would wait. */
const REST_MS = 2_000

/** Reads return null for a key that KV lacks, and undefined if KV failed or was too slow. `cacheTtl` is in seconds. */
export function createKvClient(kv: KVNamespace, now: () => number) {
  let cooldownUntil = -Infinity

  async function read<T>(load: () => Promise<T>): Promise<T | undefined> {
    if (now() < cooldownUntil) return undefined
    let hasSettled = false
    try {
      return await withTimeout(WAIT_MS, 'KV', async () => {
        try {
          return await load()
        } finally {
          hasSettled = true
        }
      })
    } catch (error) {
      if (!hasSettled) cooldownUntil = now() + REST_MS
      console.warn(JSON.stringify({ event: 'kv-unread', error: String(error) }))
      return undefined
    }
  }

  return {
    text: (key: string, cacheTtl: number) => read(() => kv.get(key, { cacheTtl })),
    /** Omits the keys that could not be read. */
    async texts(keys: readonly string[], cacheTtl: number) {
      return (await read(() => kv.get([...keys], { cacheTtl }))) ?? new Map<string, string | null>()
    },
    bytes: (key: string, cacheTtl: number) => read(() => kv.get(key, { type: 'arrayBuffer', cacheTtl })),
  }
}
