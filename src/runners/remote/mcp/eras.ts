import { LRUCache } from 'lru-cache'

/** How a server speaks: the newest revision it agreed to, or with the handshake that came before 2026-07-28. */
export type Era = { readonly kind: 'modern'; readonly version: string } | { readonly kind: 'legacy' }

/** What is known of servers' eras, which spares most sessions a round trip. Plain data: it outlives requests. */
export interface Eras {
  of(url: string): Era | undefined
  learn(url: string, era: Era): void
  forget(url: string): void
}

const MAX_SERVERS = 1_000
/** A server that moves on to another era is asked again after this long, or when it refuses what it is sent. */
const KNOWN_MS = 10 * 60_000

export function createEras(): Eras {
  const known = new LRUCache<string, Era>({ max: MAX_SERVERS, ttl: KNOWN_MS })
  return {
    of: (url) => known.get(url),
    learn: (url, era) => void known.set(url, era),
    forget: (url) => void known.delete(url),
  }
}
