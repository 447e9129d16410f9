import type { FetchCapability } from '../core/access/principal.ts'
import {
  type CacheAges,
  textBytes,
  createSwrCache,
  createCacheMemory,
  type CacheEntry,
} from '../core/cache/swr-cache.ts'
import type { IconImage } from '../core/tool/appearance.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { decodeDataUrl, parseIconImage } from './picture.ts'
import { createSemaphore } from './semaphore.ts'

/** In bytes. */
export const MAX_ICON = 256 * 1024
/** A separate memory, so that icons do not evict anything that calls need. */
const MAX_KEPT = 4 * 1024 * 1024
const TIMEOUT_MS = 5_000
const MAX_AT_ONCE = 16
const SHOWN: CacheAges = { fresh: 3_600_000 }
const FAILED: CacheAges = { fresh: 60_000 }

type Fetched = IconImage | 'none' | 'busy'

/**
 * Nothing is fetched without an initiator: strangers get only cached icons and `data:` URLs. An SVG is served unchanged, under
 * a policy without scripts, because removing scripts would require parsing hostile XML.
 */
export function createIcons(guardedFetch: GuardedFetch, now: () => number) {
  const store = createCacheMemory(MAX_KEPT).partition<CacheEntry<Fetched>>(
    ({ value }, source) => textBytes(source) + (typeof value === 'string' ? 0 : value.bytes.length),
  )
  const getAges = (value: Fetched) => (value === 'busy' ? undefined : value === 'none' ? FAILED : SHOWN)
  const iconCache = createSwrCache<Fetched>({ store, getAges, now })
  const semaphore = createSemaphore(MAX_AT_ONCE)

  async function fetchIcon(source: string, initiator: FetchCapability): Promise<Fetched> {
    const permit = semaphore.take(now(), TIMEOUT_MS)
    if (!permit) return 'busy'
    const headers = new Headers({ 'accept': 'image/svg+xml, image/png, image/*;q=0.8', 'user-agent': 'switchboard' })
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const read = await guardedFetch({ method: 'GET', url: source, headers, credentialHeaders: [], initiator, signal })
    permit.release()
    return (read.ok && read.response.status === 200 && parseIconImage(read.response.body)) || 'none'
  }

  return async (source: string, initiator: FetchCapability | undefined): Promise<IconImage | undefined> => {
    if (/^data:/i.test(source)) return parseIconImage(decodeDataUrl(source))
    const icon = initiator ? await iconCache.get(source, () => fetchIcon(source, initiator)) : iconCache.peek(source)
    return typeof icon === 'string' ? undefined : icon
  }
}
