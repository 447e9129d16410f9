/** A row holds at most 2 MB. */
const PART = 1024 * 1024

/** Keeps bytes under their hash. Gives whether they were not there before. To be run inside a transaction. */
export function storeBlob(sql: SqlStorage, hash: string, bytes: ArrayBuffer): boolean {
  if (sql.exec('SELECT 1 FROM blob WHERE hash = ? LIMIT 1', hash).toArray().length > 0) return false
  for (let at = 0; at < bytes.byteLength; at += PART) {
    sql.exec('INSERT INTO blob VALUES (?, ?, ?)', hash, at / PART, bytes.slice(at, at + PART))
  }
  return true
}

export function readBlob(sql: SqlStorage, hash: string): ArrayBuffer | undefined {
  const rows = sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM blob WHERE hash = ? ORDER BY part', hash).toArray()
  if (rows.length === 0) return undefined
  const whole = new Uint8Array(rows.reduce((size, { bytes }) => size + bytes.byteLength, 0))
  let at = 0
  for (const { bytes } of rows) {
    whole.set(new Uint8Array(bytes), at)
    at += bytes.byteLength
  }
  return whole.buffer
}
