import type { Admission } from '../core/access/principal.ts'
import { type Ages, bytesOfText, createKept, createMemory, type Entry } from '../core/cache/kept.ts'
import type { Picture } from '../core/tool/appearance.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { bytesOfData, pictureOf } from './picture.ts'
import { createSemaphore } from './semaphore.ts'

/** In bytes. */
export const MAX_ICON = 256 * 1024
/** A memory of its own, so that pictures push out nothing that calls need. */
const MAX_KEPT = 4 * 1024 * 1024
const TIMEOUT_MS = 5_000
const MAX_AT_ONCE = 16
const SHOWN: Ages = { fresh: 3_600_000 }
const FAILED: Ages = { fresh: 60_000 }

type Fetched = Picture | 'none' | 'busy'

/**
 * Nothing is fetched without an asker: strangers get the pictures that are kept, and those of `data:`. An SVG is served
 * unchanged, under a policy without scripts: removing them would need a parser of hostile XML.
 */
export function createIcons(guardedFetch: GuardedFetch, now: () => number) {
  const store = createMemory(MAX_KEPT).part<Entry<Fetched>>(
    ({ value }, source) => bytesOfText(source) + (typeof value === 'string' ? 0 : value.bytes.length),
  )
  const agesOf = (value: Fetched) => (value === 'busy' ? undefined : value === 'none' ? FAILED : SHOWN)
  const kept = createKept<Fetched>({ store, agesOf, now })
  const semaphore = createSemaphore(MAX_AT_ONCE)

  async function fetchIcon(source: string, asker: Admission): Promise<Fetched> {
    const permit = semaphore.take(now(), TIMEOUT_MS)
    if (!permit) return 'busy'
    const headers = new Headers({ 'accept': 'image/svg+xml, image/png, image/*;q=0.8', 'user-agent': 'switchboard' })
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const read = await guardedFetch({ method: 'GET', url: source, headers, credentialHeaders: [], asker, signal })
    permit.release()
    return (read.ok && read.response.status === 200 && pictureOf(read.response.body)) || 'none'
  }

  return async (source: string, asker: Admission | undefined): Promise<Picture | undefined> => {
    if (/^data:/i.test(source)) return pictureOf(bytesOfData(source))
    const found = asker ? await kept.get(source, () => fetchIcon(source, asker)) : kept.peek(source)
    return typeof found === 'string' ? undefined : found
  }
}
