import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import type { LRUCache } from 'lru-cache'
import { createLruCache } from '../../../core/tool/recently-used.ts'

/** The revision of each server, by URL: a known one saves a round trip. Plain data, so it may outlive requests. */
export type KnownRevisions = LRUCache<string, PriorDiscovery>

const MAX_SERVERS = 1_000
/** After this time, or when it refuses the known revision, a server is asked for its revision again. */
const KNOWN_MS = 10 * 60_000

export function createKnownRevisions(): KnownRevisions {
  return createLruCache(MAX_SERVERS, KNOWN_MS)
}

export const TASKS = 'io.modelcontextprotocol/tasks'

export function announcesTasks(client: Client): boolean {
  return client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.extensions?.[TASKS] !== undefined
}

/** Passes only the revision and task support to the SDK, because the rest of a server's description may be large. */
export function modernPrior(version: string, hasTasks = false): PriorDiscovery {
  const capabilities = { tools: {}, ...(hasTasks ? { extensions: { [TASKS]: {} } } : {}) }
  const about = { capabilities, ttlMs: 0, cacheScope: 'private' } as const
  return { kind: 'modern', discover: { supportedVersions: [version], ...about } }
}
