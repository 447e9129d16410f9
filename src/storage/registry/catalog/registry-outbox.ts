import { parseKvKey } from '../../keys.ts'
import { createOutbox, type KvValues } from '../../kv-outbox.ts'
import { column, readField } from '../../rows.ts'
import { readBlob } from '../blobs.ts'
import { addressText, textByHash } from '../document-aliases.ts'
import { continueFanOut } from '../write/fan-out.ts'
import { keyOfName } from '../write/exposed-names.ts'
import { policiesText } from '../policies.ts'
import { splitChunks } from './chunks.ts'
import type { WriteLine } from './listed-tools.ts'
import { pageText } from './pages.ts'
import { createReplication } from './replication.ts'
import { nextPurgeAt } from '../toolkits.ts'
import { toolEntryText, recordTextByDigest } from '../versions.ts'

/** A reader keeps a manifest, which names pages, for about a minute; after that, the registry gives it another. */
const RETIRE_AFTER_MS = 2 * 60_000
const DELETIONS_AT_ONCE = 25
const MAX_DELETIONS = 400

/** Writes to KV what the registry's changes queue, and the catalog. */
export function createRegistryOutbox(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage

  async function deleteRetired(): Promise<void> {
    const until = Date.now() - RETIRE_AFTER_MS
    const due = column<string>(sql, 'SELECT target FROM retired WHERE at <= ? LIMIT ?', until, MAX_DELETIONS)
    for (const batch of splitChunks(due, () => 1, { maxSize: DELETIONS_AT_ONCE })) {
      await Promise.all(batch.filter((target) => !isInUse(target)).map((target) => kv.delete(target)))
      sql.exec('DELETE FROM retired WHERE target IN (SELECT value FROM json_each(?))', JSON.stringify(batch))
    }
  }

  async function purgeDeleted(): Promise<void> {
    while (nextPurgeAt(sql) <= Date.now()) {
      const { purgeDeletedToolkit } = await import('../write/deleted-toolkits.ts')
      const keyCount = storage.transactionSync(() => {
        const targets = purgeDeletedToolkit(sql, Date.now())
        for (const target of targets) {
          sql.exec('INSERT OR REPLACE INTO retired VALUES (?, ?)', target, Date.now() - RETIRE_AFTER_MS)
          sql.exec('DELETE FROM outbox WHERE target = ?', target)
        }
        return targets.length
      })
      console.log(JSON.stringify({ event: 'toolkit-forgotten', keys: keyCount }))
    }
  }

  const values: KvValues = {
    page: (hash) => pageText(sql, hash, writeLine),
    blob: (hash) => readBlob(sql, hash),
    document: (hash) => textByHash(sql, hash),
    record: (digest) => recordTextByDigest(sql, digest),
    address: (address) => addressText(sql, address),
    tool: (key) => toolEntryText(sql, key),
    name: (name) => keyOfName(sql, name),
    policies: () => policiesText(sql),
  }

  function isInUse(target: string): boolean {
    const key = parseKvKey(target)
    return key !== undefined && key.kind !== 'page' && values[key.kind]?.(key.id) !== undefined
  }

  return createOutbox({
    storage,
    kv,
    values,
    replication: createReplication(storage, kv, writeLine, async () => {
      await purgeDeleted()
      await deleteRetired()
    }),
    continueChange: () => storage.transactionSync(() => continueFanOut(sql)),
    nextRunAt() {
      const oldest = readField<number>(sql, 'SELECT at FROM retired ORDER BY at LIMIT 1') ?? Infinity
      return Math.min(oldest + RETIRE_AFTER_MS, nextPurgeAt(sql))
    },
  })
}
