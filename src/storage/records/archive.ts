import { archiveKey } from '../keys.ts'

/** So many calls an object of the bucket: some 8 MB. */
const CHUNK = 20_000

/** Writes a day's calls to the bucket as JSON lines, in the order they came. What was written before is written alike again. */
export async function archiveCalls(sql: SqlStorage, bucket: R2Bucket, day: string): Promise<void> {
  let after = 0
  for (let chunk = 0; ; chunk++) {
    const query = 'SELECT id, record FROM call WHERE id > ? ORDER BY id LIMIT ?'
    const rows = sql.exec<{ id: number; record: string }>(query, after, CHUNK).toArray()
    const last = rows.at(-1)
    if (!last) return
    await bucket.put(archiveKey(day, chunk), rows.map(({ record }) => `${record}\n`).join(''))
    after = last.id
  }
}
