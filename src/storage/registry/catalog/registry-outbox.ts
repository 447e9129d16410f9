import { createOutbox } from '../../kv-outbox.ts'
import { readBlob } from '../blobs.ts'
import { addressText, textByHash } from '../document-aliases.ts'
import { continueFanOut } from '../write/fan-out.ts'
import { keyOfName } from '../write/exposed-names.ts'
import { policiesText } from '../policies.ts'
import type { WriteLine } from './listed-tools.ts'
import { pageText } from './pages.ts'
import { createReplication } from './replication.ts'
import { queue } from '../tables.ts'
import { nextPurgeAt } from '../toolkits.ts'
import { lockText, toolsetText } from '../toolsets.ts'
import { toolEntryText, recordTextByDigest } from '../versions.ts'

/** Creates the outbox, which writes queued changes of the Registry and the catalog to KV. */
export function createRegistryOutbox(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  const replication = createReplication(storage, kv, writeLine)

  async function purgeDeleted(): Promise<void> {
    while (nextPurgeAt(sql) <= Date.now()) {
      const { purgeDeletedToolkit } = await import('../write/deleted-toolkits.ts')
      const keyCount = storage.transactionSync(() => {
        const targets = purgeDeletedToolkit(sql, Date.now())
        for (const target of targets) queue(sql, target)
        return targets.length
      })
      console.log(JSON.stringify({ event: 'toolkit-forgotten', keys: keyCount }))
    }
  }

  return createOutbox({
    storage,
    kv,
    values: {
      page: (hash) => pageText(sql, hash, writeLine),
      blob: (hash) => readBlob(sql, hash),
      document: (hash) => textByHash(sql, hash),
      record: (digest) => recordTextByDigest(sql, digest),
      address: (address) => addressText(sql, address),
      tool: (key) => toolEntryText(sql, key),
      name: (name) => keyOfName(sql, name),
      policies: () => policiesText(sql),
      toolset: (name) => toolsetText(sql, name),
      lock: (hash) => lockText(sql, hash),
    },
    replication,
    async continueChange() {
      await purgeDeleted()
      return storage.transactionSync(() => continueFanOut(sql))
    },
    nextRunAt: () => Math.min(replication.nextDeletionAt(), nextPurgeAt(sql)),
  })
}
