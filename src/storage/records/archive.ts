import { archiveKey } from '../keys.ts'

/** So many records an object of the bucket: some 8 MB. */
const CHUNK = 20_000

/** Writes a day's calls and acts to the bucket as JSON lines, in the order they came. What was written before is written alike again. */
export async function archive(sql: SqlStorage, bucket: R2Bucket, day: string): Promise<void> {
  for (const kind of ['call', 'act'] as const) {
    let after = 0
    for (let chunk = 0; ; chunk++) {
      const query = `SELECT id, record FROM ${kind} WHERE id > ? ORDER BY id LIMIT ?`
      const rows = sql.exec<{ id: number; record: string }>(query, after, CHUNK).toArray()
      const last = rows.at(-1)
      if (!last) break
      await bucket.put(archiveKey(kind, day, chunk), rows.map(({ record }) => `${record}\n`).join(''))
      after = last.id
    }
  }
}
