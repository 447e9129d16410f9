import { createSwrCache } from '../../core/cache/swr-cache.ts'
import type { SettingStore } from '../../core/tool/precondition.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'
import { kvKey } from '../keys.ts'
import { createKvReader, parseKvJson } from '../kv-reader.ts'
import type { AccessStub, WholeSetting } from './access-object.ts'

const AGES = { fresh: 5_000, staleIfError: 55_000 }
const MAX_CACHED = 1_000

/** Stores providers or event sources. A change is visible in its isolate at once, and in others within a minute. */
export function createKvSettings<T extends { readonly id: string }>(
  kv: KVNamespace,
  access: AccessStub,
  now: () => number,
  { kind, isId }: { readonly kind: WholeSetting; readonly isId: (id: string) => boolean },
): SettingStore<T> {
  const reader = createKvReader(kv, access.value, now)
  const cache = createSwrCache<T | undefined>({ store: createLruCache(MAX_CACHED), getAges: () => AGES, now })
  const load = (id: string) => reader.readThrough<T>(kvKey(kind, id))

  function noteChange(id: string): void {
    reader.markWritten(kvKey(kind, id))
    cache.invalidate((_, cachedId) => cachedId === id)
  }

  return {
    find: async (id) => (isId(id) ? cache.get(id, load) : undefined),
    findNewest: async (id) => parseKvJson<T>(await access.value(kvKey(kind, id))),
    async put(setting, expected) {
      const result = await access.putSetting(kind, setting, expected)
      noteChange(setting.id)
      return result
    },
    async list() {
      return (await access.listSettings(kind)).map((text): T => JSON.parse(text))
    },
    async remove(id, expected) {
      const removal = await access.removeSetting(kind, id, expected)
      noteChange(id)
      return removal
    },
  }
}
