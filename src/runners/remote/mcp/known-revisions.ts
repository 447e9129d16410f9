import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'

/** Revisions that servers speak, by URL: spares a round trip. Plain data, so it may outlive requests. */
export type KnownRevisions = LRUCache<string, PriorDiscovery>

const MAX_SERVERS = 1_000
/** A server that has moved on is asked again after this long, or when it refuses what it is sent. */
const KNOWN_MS = 10 * 60_000

export function createKnownRevisions(): KnownRevisions {
  return new LRUCache({ max: MAX_SERVERS, ttl: KNOWN_MS })
}

/** Tells the SDK the revision alone: the rest of what a server says of itself may be large. */
export function modernPrior(version: string): PriorDiscovery {
  const about = { capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' } as const
  return { kind: 'modern', discover: { supportedVersions: [version], ...about } }
}
