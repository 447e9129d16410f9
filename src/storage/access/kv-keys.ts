import type { ApiKey, KeyStore } from '../../core/access/api-key.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessStub, KeyChanged } from './access-object.ts'

/** A key that KV lacks is looked up in the Durable Object; a deleted one is gone within half a minute. */
export function createKvKeys(kv: KVNamespace, access: AccessStub, now: () => number): KeyStore {
  const reader = createKvReader(kv, access.value, now)

  function keyIn({ body, hashes }: KeyChanged): ApiKey {
    for (const hash of hashes) reader.markWritten(kvKey('apiKey', hash))
    return JSON.parse(body)
  }

  return {
    async create(key, hash) {
      await access.createKey(key, hash)
      // Who has it may call often at once before KV has it
      reader.markWritten(kvKey('apiKey', hash))
    },
    async list() {
      return (await access.given('apiKey')).map((text): ApiKey => JSON.parse(text))
    },
    async findById(id) {
      const text = await access.keyWithId(id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async change(id, change, expected) {
      const changed = await access.changeKey(id, change, expected)
      return typeof changed === 'object' ? keyIn(changed) : changed
    },
    async rotate(id, hash, until) {
      const changed = await access.rotateKey(id, hash, until)
      return changed && keyIn(changed)
    },
    listLastUses: access.listLastUses,
    remove: (id, expected) => access.removeGiven('apiKey', id, expected),
    find: (hash) => reader.read<ApiKey>(kvKey('apiKey', hash), { onMiss: 'read-through' }),
  }
}
