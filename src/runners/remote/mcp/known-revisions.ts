import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'

/**
 * What is known of the revisions that servers speak, by URL, which spares most sessions a round trip. It may outlive
 * requests, since it is plain data.
 */
export type KnownRevisions = LRUCache<string, PriorDiscovery>

const MAX_SERVERS = 1_000
/** A server that has moved on is asked again after this long, or when it refuses what it is sent. */
const KNOWN_MS = 10 * 60_000

export function createKnownRevisions(): KnownRevisions {
  return new LRUCache({ max: MAX_SERVERS, ttl: KNOWN_MS })
}

/**
 * What the SDK is told of a server that speaks this revision, 2026-07-28 or later, so that it need not ask. What else a
 * server says of itself is not kept: it may be large.
 */
export function modernPrior(version: string): PriorDiscovery {
  const about = { capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' } as const
  return { kind: 'modern', discover: { supportedVersions: [version], ...about } }
}
