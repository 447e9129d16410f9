import { createSwrCache } from '../../core/cache/swr-cache.ts'
import { isProviderId, type Provider, type ProviderStore } from '../../core/consent/provider.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessStub } from './access-object.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

const AGES = { fresh: 5_000, staleIfError: 55_000 }
const MAX_CACHED_PROVIDERS = 1_000

/** A change is seen at once by the isolate that made it, and within a minute by others. */
export function createKvProviders(kv: KVNamespace, access: AccessStub, now: () => number): ProviderStore {
  const reader = createKvReader(kv, access.value, now)
  const cache = createSwrCache<Provider | undefined>({
    store: createLruCache(MAX_CACHED_PROVIDERS),
    getAges: () => AGES,
    now,
  })
  const load = (id: string) => reader.readThrough<Provider>(kvKey('provider', id))

  function noteChange(id: string): void {
    reader.markWritten(kvKey('provider', id))
    cache.invalidate((_, cachedId) => cachedId === id)
  }

  return {
    find: async (id) => (isProviderId(id) ? cache.get(id, load) : undefined),
    async put(provider, expected) {
      const result = await access.putProvider(provider, expected)
      noteChange(provider.id)
      return result
    },
    async list() {
      return (await access.listSettings('provider')).map((text): Provider => JSON.parse(text))
    },
    async remove(id, expected) {
      const removed = await access.removeSetting('provider', id, expected)
      noteChange(id)
      return removed
    },
  }
}
