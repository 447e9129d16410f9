import { oldRecordsKey } from '../keys.ts'
import { rows } from '../rows.ts'
import { callsAfter, type NumberedRecord } from './call-rows.ts'
import { addToMeta, readMeta } from './tables.ts'

/** Records per object of the bucket, plus the rest of the last batch: some 8 MB. */
const CHUNK = 20_000
/** Objects written in one run, which has time for many more. */
const CHUNKS = 50

const KINDS = ['call', 'act'] as const

/** Moves records to the bucket. Returns false while there are more. Writing an object again writes the same text. */
export async function moveOldRecords(sql: SqlStorage, bucket: R2Bucket, day: string): Promise<boolean> {
  let chunksLeft = CHUNKS
  for (const kind of KINDS) {
    for (;;) {
      const chunk = readMeta(sql, `${kind}s moved`)
      const lastMovedId = readMeta(sql, `${kind}s moved until`)
      const records = chunkAfter(sql, kind, lastMovedId)
      const lastRecord = records.at(-1)
      if (!lastRecord) break
      if (chunksLeft-- === 0) return false
      await bucket.put(oldRecordsKey(kind, day, chunk), records.map(({ record }) => `${record}\n`).join(''))
      addToMeta(sql, `${kind}s moved`, 1)
      addToMeta(sql, `${kind}s moved until`, lastRecord.id - lastMovedId)
    }
  }
  return true
}

/** Returns the same chunk at each attempt, because all rows are deleted together. */
function chunkAfter(sql: SqlStorage, kind: (typeof KINDS)[number], after: number): readonly NumberedRecord[] {
  if (kind === 'act') {
    const query = 'SELECT id, record FROM act WHERE id > ? ORDER BY id LIMIT ?'
    return rows<NumberedRecord>(sql, query, after, CHUNK)
  }
  const records: NumberedRecord[] = []
  for (const together of callsAfter(sql, after)) {
    records.push(...together)
    if (records.length >= CHUNK) break
  }
  return records
}
