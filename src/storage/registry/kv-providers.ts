import { LRUCache } from 'lru-cache'
import type { Provider, Providers, ProviderStore } from '../../core/consent/provider.ts'
import { isProviderId } from '../../core/consent/provider.ts'
import type { RegistryStub } from './registry-stub.ts'

export interface KvProvidersOptions {
  readonly kv: KVNamespace
  readonly registry: RegistryStub
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** How long an isolate answers from memory, for ids nobody has too. */
const FRESH_MS = 5_000
const MAX_KEPT = 1_000
const KV_TTL_S = 30
/** Ids unknown to KV that this isolate asks the registry about, a second: whoever makes up ids must not hammer it. */
const UNKNOWN_PER_S = 50

/**
 * The providers a deployment was given: written through the Registry Durable Object, read from KV, and at once where they
 * were written. What KV lacks is asked of the Durable Object, so a new provider is there for all; a change is seen
 * everywhere within a minute.
 */
export function createKvProviders({ kv, registry, now }: KvProvidersOptions): ProviderStore {
  const kept = new LRUCache<string, { readonly provider: Provider | undefined; readonly until: number }>({
    max: MAX_KEPT,
  })
  /** Ids this isolate wrote: KV may still hold what was before. */
  const written = new LRUCache<string, { readonly at: number }>({ max: MAX_KEPT })
  let asked = { second: 0, count: 0 }

  function wrote(id: string): void {
    written.set(id, { at: now() })
    kept.delete(id)
  }

  async function lookUp(id: string): Promise<string | null> {
    const at = written.get(id)?.at
    if (at !== undefined && now() - at < 2 * KV_TTL_S * 1_000) return registry().provider(id)
    const text = await kv.get(`provider/${id}`, { cacheTtl: KV_TTL_S })
    if (text !== null) return text
    const second = Math.floor(now() / 1_000)
    asked = asked.second === second ? asked : { second, count: 0 }
    asked.count += 1
    return asked.count > UNKNOWN_PER_S ? null : registry().provider(id)
  }

  return {
    async find(id) {
      if (!isProviderId(id)) return undefined
      const known = kept.get(id)
      if (known && now() < known.until) return known.provider
      const until = now() + FRESH_MS
      const before = written.get(id)
      const text = await lookUp(id)
      const provider: Provider | undefined = text === null ? undefined : JSON.parse(text)
      // What was written meanwhile is newer than this answer
      if (written.get(id) === before) kept.set(id, { provider, until })
      return provider
    },
    async put(provider) {
      const isNew = await registry().putProvider(provider)
      wrote(provider.id)
      return isNew
    },
    async list() {
      return (await registry().providers()).map((text): Provider => JSON.parse(text))
    },
    async remove(id) {
      const removed = await registry().removeProvider(id)
      wrote(id)
      return removed
    },
  }
}

/** Those the deployment was given, then the well-known ones that it has a client at. */
export function eitherProvider(given: Providers, connected: (id: string) => Provider | undefined): Providers {
  return {
    async find(id) {
      return (await given.find(id)) ?? connected(id)
    },
  }
}
