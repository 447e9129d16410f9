import type { ApiKey, KeyStore } from '../../core/access/api-key.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessReach } from './access-object.ts'

/**
 * The API keys of a deployment: written through the Access Durable Object, read from KV. What KV lacks is asked of the
 * Durable Object, so a new key holds at once everywhere; one that is deleted is gone from KV within half a minute.
 */
export function createKvKeys({ kv, access, now }: AccessReach): KeyStore {
  const reader = createKvReader({ kv, value: (key) => access().value(key), now })
  return {
    create: (key, hash) => access().createKey(key, hash),
    async list() {
      return (await access().given('apiKey')).map((text): ApiKey => JSON.parse(text))
    },
    change: (key) => access().changeKey(key),
    rotate: (id, hash, until) => access().rotateKey(id, hash, until),
    lastUses: () => access().lastUses(),
    remove: (id) => access().removeGiven('apiKey', id),
    find: (hash) => reader.read<ApiKey>(kvKey('apiKey', hash), 'ask'),
  }
}
