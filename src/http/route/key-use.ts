import type { Principal } from '../../core/access/principal.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

/** Milliseconds: a key's last use is known to within ten minutes. */
const EVERY_MS = 600_000
const KEY = 'key:'

export function createKeyUsageTracker(
  noteUse: (ids: readonly string[], at: number) => Promise<void>,
  now: () => number,
) {
  const noted = createLruCache<number>(10_000)
  return ({ id, kind }: Principal, background: WaitUntil): void => {
    if (kind !== 'key') return
    const at = now()
    const last = noted.get(id)
    if (last !== undefined && at - last < EVERY_MS) return
    noted.set(id, at)
    background(noteUse([id.slice(KEY.length)], at).catch(() => void noted.delete(id)))
  }
}
