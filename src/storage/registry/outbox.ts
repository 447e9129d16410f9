import { HEAD_KEY } from '../keys.ts'
import { createOutbox } from '../outbox.ts'
import { column, field } from '../rows.ts'
import { readBlob } from './blobs.ts'
import { addressText, textByHash } from './documents.ts'
import { keyOfName } from './names.ts'
import { pageText, settlePages, type WriteLine } from './pages.ts'
import { documentText, recordTextByDigest } from './versions.ts'

/** A reader holds a head, which names pages, for about a minute. */
const RETIRE_AFTER_MS = 10 * 60_000
const SWEPT_AT_ONCE = 400

/**
 * The registry's outbox. Pages and records land before the documents that name them, and the catalogue's head last: it is
 * the one the run began with, so that all it names has landed, however much is published meanwhile.
 */
export function createRegistryOutbox(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage

  async function publish(writeDue: () => Promise<boolean>): Promise<void> {
    const head = await settlePages(sql, writeLine, Date.now())
    const headIsDue = field(sql, 'SELECT 1 FROM outbox WHERE target = ?', HEAD_KEY) !== undefined
    const landed = await writeDue()
    if (headIsDue) {
      // While a head waits, the one in KV may name what was retired
      if (!landed) return
      await kv.put(HEAD_KEY, JSON.stringify(head))
      sql.exec('DELETE FROM outbox WHERE target = ? AND revision <= ?', HEAD_KEY, head.revision)
    }
    await sweep()
  }

  async function sweep(): Promise<void> {
    const until = Date.now() - RETIRE_AFTER_MS
    const query = 'SELECT target FROM retired WHERE at <= ? LIMIT ?'
    for (const target of column<string>(sql, query, until, SWEPT_AT_ONCE)) {
      await kv.delete(target)
      sql.exec('DELETE FROM retired WHERE target = ?', target)
    }
  }

  return createOutbox({
    storage,
    kv,
    kinds: {
      // A page whose leaf was changed since: another page will take its place
      page: { rank: 0, value: (of) => pageText(sql, of, writeLine), without: 'wait' },
      blob: { rank: 0, value: (of) => readBlob(sql, of) },
      document: { rank: 0, value: (of) => textByHash(sql, of) },
      record: { rank: 1, value: (of) => recordTextByDigest(sql, of) },
      address: { rank: 2, value: (of) => addressText(sql, of) },
      tool: { rank: 2, value: (of) => documentText(sql, of) },
      name: { rank: 2, value: (of) => keyOfName(sql, of) },
    },
    publish,
    hasMore: () => field(sql, 'SELECT 1 FROM leaf WHERE dirty IS NOT NULL LIMIT 1') !== undefined,
    later() {
      const oldest = field<number>(sql, 'SELECT at FROM retired ORDER BY at LIMIT 1')
      return oldest === undefined ? undefined : oldest + RETIRE_AFTER_MS
    },
  })
}
