import type { ApiKey, KeyStore } from '../../core/access/api-key.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessReach } from './access-object.ts'

/** A key that KV lacks is looked up in the Durable Object; a deleted one is gone within half a minute. */
export function createKvKeys({ kv, access, now }: AccessReach): KeyStore {
  const reader = createKvReader({ kv, value: (key) => access().value(key), now })

  function changed(hashes: readonly string[] | 'stale' | undefined): boolean | 'stale' {
    if (hashes === 'stale') return hashes
    for (const hash of hashes ?? []) reader.wrote(kvKey('apiKey', hash))
    return hashes !== undefined
  }

  return {
    create: (key, hash) => access().createKey(key, hash),
    async list() {
      return (await access().given('apiKey')).map((text): ApiKey => JSON.parse(text))
    },
    async withId(id) {
      const text = await access().keyWithId(id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    change: async (key, expected) => changed(await access().changeKey(key, expected)),
    rotate: async (id, hash, until) => changed(await access().rotateKey(id, hash, until)) === true,
    lastUses: () => access().lastUses(),
    remove: (id, expected) => access().removeGiven('apiKey', id, expected),
    find: (hash) => reader.read<ApiKey>(kvKey('apiKey', hash), 'ask'),
  }
}
