import { LRUCache } from 'lru-cache'
import { Unreachable } from '../../core/failure/failure.ts'
import type { Provider, Providers, ProviderStore } from '../../core/consent/provider.ts'
import { isProviderId } from '../../core/consent/provider.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessReach } from './access-object.ts'

/** How long an isolate answers from memory, for ids nobody has too. */
const FRESH_MS = 5_000
/** For so much longer it does while neither KV nor the Durable Object can be reached. */
const LAST_RESORT_MS = 50_000
const MAX_KEPT = 1_000

/**
 * The providers a deployment was given: written through the Access Durable Object, read from KV, and at once where they
 * were written. What KV lacks is asked of the Durable Object, so a new provider is there for all; a change is seen
 * everywhere within a minute.
 */
export function createKvProviders({ kv, access, now }: AccessReach): ProviderStore {
  const reader = createKvReader({ kv, value: (key) => access().value(key), now })
  const kept = new LRUCache<string, { readonly provider: Provider | undefined; readonly until: number }>({
    max: MAX_KEPT,
  })
  let changes = 0

  function changed(id: string): void {
    changes += 1
    reader.wrote(kvKey('provider', id))
    kept.delete(id)
  }

  return {
    async find(id) {
      if (!isProviderId(id)) return undefined
      const known = kept.get(id)
      if (known && now() < known.until) return known.provider
      const until = now() + FRESH_MS
      const before = changes
      let provider: Provider | undefined
      try {
        provider = await reader.read<Provider>(kvKey('provider', id), 'ask')
      } catch (error) {
        // What was so a moment ago is better than nothing
        if (!(error instanceof Unreachable) || !known || now() > known.until + LAST_RESORT_MS) throw error
        return known.provider
      }
      // What was changed meanwhile is newer than this answer
      if (changes === before) kept.set(id, { provider, until })
      return provider
    },
    async put(provider) {
      const isNew = await access().putProvider(provider)
      changed(provider.id)
      return isNew
    },
    async list() {
      return (await access().given('provider')).map((text): Provider => JSON.parse(text))
    },
    async remove(id) {
      const removed = await access().removeGiven('provider', id)
      changed(id)
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
