import { archiveKey } from '../keys.ts'
import { field } from '../rows.ts'
import { callsAfter, type NumberedCall } from './call-rows.ts'

/** So many records an object of the bucket, and what came together with the last of them: some 8 MB. */
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
      const chunk = meta(sql, `${kind}s archived`) ?? 0
      // An earlier version had each record in a row of its own, without gaps
      const after = meta(sql, `${kind}s archived until`) ?? chunk * CHUNK
      const records = chunkAfter(sql, kind, after)
      const last = records.at(-1)
      if (!last) break
      if (left-- === 0) return false
      await bucket.put(archiveKey(kind, day, chunk), records.map(({ record }) => `${record}\n`).join(''))
      sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', `${kind}s archived`, chunk + 1)
      sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', `${kind}s archived until`, last.id)
    }
  }
  return true
}

/** What comes after a number, in its order. No row ever goes before all do, so that it is the same whenever it is asked for. */
function chunkAfter(sql: SqlStorage, kind: (typeof KINDS)[number], after: number): readonly NumberedCall[] {
  if (kind === 'act') {
    const query = 'SELECT id, record FROM act WHERE id > ? ORDER BY id LIMIT ?'
    return sql.exec<{ id: number; record: string }>(query, after, CHUNK).toArray()
  }
  const records: NumberedCall[] = []
  for (const together of callsAfter(sql, after)) {
    records.push(...together)
    if (records.length >= CHUNK) break
  }
  return records
}

function meta(sql: SqlStorage, name: string): number | undefined {
  return field<number>(sql, 'SELECT value FROM meta WHERE name = ?', name)
}
