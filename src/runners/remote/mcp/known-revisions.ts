import { LRUCache } from 'lru-cache'

/** What a server speaks: the newest revision it agreed to, or one with the handshake that came before 2026-07-28. */
export type SpokenRevision = { readonly kind: 'modern'; readonly version: string } | { readonly kind: 'legacy' }

/**
 * What is known of the revisions that servers speak, by URL, which spares most sessions a round trip. It may outlive
 * requests, since it is plain data.
 */
export interface KnownRevisions {
  of(url: string): SpokenRevision | undefined
  learn(url: string, revision: SpokenRevision): void
  forget(url: string): void
}

const MAX_SERVERS = 1_000
/** A server that has moved on is asked again after this long, or when it refuses what it is sent. */
const KNOWN_MS = 10 * 60_000

export function createKnownRevisions(): KnownRevisions {
  const known = new LRUCache<string, SpokenRevision>({ max: MAX_SERVERS, ttl: KNOWN_MS })
  return {
    of: (url) => known.get(url),
    learn: (url, revision) => void known.set(url, revision),
    forget: (url) => void known.delete(url),
  }
}
