import { archiveKey } from '../keys.ts'
import { field } from '../rows.ts'

/** So many records an object of the bucket: some 8 MB. */
const CHUNK = 20_000
/** So many objects are written at a time: a run has time for many more. */
const CHUNKS = 50

const KINDS = ['call', 'act'] as const

/**
 * Writes what the bucket lacks of a day's calls and acts, as JSON lines in the order they came; false while there is more. What
 * was written before is written alike again.
 */
export async function archiveSome(sql: SqlStorage, bucket: R2Bucket, day: string): Promise<boolean> {
  let left = CHUNKS
  for (const kind of KINDS) {
    for (;;) {
      const chunk = field<number>(sql, 'SELECT value FROM meta WHERE name = ?', `${kind}s archived`) ?? 0
      // No row ever goes before all do, so that the rows of a chunk are known by their ids
      const query = `SELECT record FROM ${kind} WHERE id > ? ORDER BY id LIMIT ?`
      const rows = sql.exec<{ record: string }>(query, chunk * CHUNK, CHUNK).toArray()
      if (rows.length === 0) break
      if (left-- === 0) return false
      await bucket.put(archiveKey(kind, day, chunk), rows.map(({ record }) => `${record}\n`).join(''))
      sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', `${kind}s archived`, chunk + 1)
    }
  }
  return true
}
