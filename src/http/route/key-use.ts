import type { Principal } from '../../core/access/principal.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

/** Each isolate stores a key's last use at most this often. */
const INTERVAL_MS = 600_000
const KEY_PREFIX = 'key:'

export function createKeyUsageTracker(
  writeLastUse: (ids: readonly string[], usedAt: number) => Promise<void>,
  now: () => number,
) {
  const lastUses = createLruCache<number>(10_000)
  return ({ id, kind }: Principal, background: WaitUntil): void => {
    if (kind !== 'key') return
    const usedAt = now()
    const lastUse = lastUses.get(id)
    if (lastUse !== undefined && usedAt - lastUse < INTERVAL_MS) return
    lastUses.set(id, usedAt)
    background(writeLastUse([id.slice(KEY_PREFIX.length)], usedAt).catch(() => void lastUses.delete(id)))
  }
}
