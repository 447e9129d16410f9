import { kvKey } from '../keys.ts'
import { column, readField } from '../rows.ts'
import { nextRevision, queue } from './tables.ts'

/** A row can have at most 2 MB. */
const PART = 1024 * 1024

/** Stores the bytes of a hash once; they never change. Call in a transaction. */
export function storeBlob(sql: SqlStorage, hash: string, bytes: ArrayBuffer): void {
  if (holdsBlob(sql, hash)) return
  nextRevision(sql)
  for (let offset = 0; offset < bytes.byteLength; offset += PART)
    sql.exec('INSERT INTO blob VALUES (?, ?, ?)', hash, offset / PART, bytes.slice(offset, offset + PART))
  queue(sql, kvKey('blob', hash))
}

export function holdsBlob(sql: SqlStorage, hash: string): boolean {
  return readField(sql, 'SELECT 1 FROM blob WHERE hash = ? LIMIT 1', hash) !== undefined
}

export function readBlob(sql: SqlStorage, hash: string): ArrayBuffer | undefined {
  const parts = column<ArrayBuffer>(sql, 'SELECT bytes FROM blob WHERE hash = ? ORDER BY part', hash)
  if (parts.length === 0) return undefined
  const bytes = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(new Uint8Array(part), offset)
    offset += part.byteLength
  }
  return bytes.buffer
}
