import type { ApiKey, KeyStore } from '../../core/access/api-key.ts'
import { kvKey } from '../keys.ts'
import { createKvReader } from '../kv-reader.ts'
import type { AccessStub, ChangedKey } from './access-object.ts'

/** If KV lacks a key, the reader asks the Durable Object. A deleted key stops working within half a minute. */
export function createKvKeys(kv: KVNamespace, access: AccessStub, now: () => number): KeyStore {
  const reader = createKvReader(kv, access.value, now)

  function noteChangedKey({ body, hashes }: ChangedKey): ApiKey {
    for (const hash of hashes) reader.markWritten(kvKey('apiKey', hash))
    return JSON.parse(body)
  }

  return {
    async create(key, hash) {
      await access.createKey(key, hash)
      // The key's first calls may arrive before KV has it
      reader.markWritten(kvKey('apiKey', hash))
    },
    async list() {
      return (await access.listSettings('apiKey')).map((text): ApiKey => JSON.parse(text))
    },
    async findById(id) {
      const text = await access.findKeyText(id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async change(id, change, expected) {
      const changeResult = await access.changeKey(id, change, expected)
      return typeof changeResult === 'object' ? noteChangedKey(changeResult) : changeResult
    },
    async rotate(id, hash, prefix, until) {
      const changed = await access.rotateKey(id, hash, prefix, until)
      return changed && noteChangedKey(changed)
    },
    listLastUses: access.listLastUses,
    remove: (id, expected) => access.removeSetting('apiKey', id, expected),
    find: (hash) => reader.readThrough<ApiKey>(kvKey('apiKey', hash)),
  }
}
