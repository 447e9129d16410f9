import { type ApiKey, changedKey, type KeyChange } from '../../core/access/api-key.ts'
import { type Expected, isExpected } from '../../core/tool/revision.ts'
import { kvKey } from '../keys.ts'
import { column, field, firstRow, rows } from '../rows.ts'
import { queue } from './tables.ts'

/** A hash that was rotated away finds its key until the overlap is over. */
export function storedKey(sql: SqlStorage, hash: string): string | undefined {
  const body = field<string>(sql, 'SELECT body FROM api_key WHERE hash = ?', hash)
  if (body !== undefined) return body
  const earlier = 'SELECT body, until FROM earlier_key JOIN api_key USING (id) WHERE earlier_key.hash = ?'
  const before = firstRow<{ body: string; until: number }>(sql, earlier, hash)
  if (!before) return undefined
  const key: ApiKey = JSON.parse(before.body)
  const until = Math.min(before.until, key.expires_at === undefined ? Infinity : Date.parse(key.expires_at))
  return JSON.stringify({ ...key, expires_at: new Date(until).toISOString() })
}

export function storedKeyOfId(sql: SqlStorage, id: string): string | undefined {
  return field<string>(sql, 'SELECT body FROM api_key WHERE id = ?', id)
}

/** Storing one twice changes nothing: a client that lost the answer asks again. */
export function storeKey(sql: SqlStorage, key: ApiKey, hash: string): void {
  sql.exec('INSERT OR IGNORE INTO api_key VALUES (?, ?, ?)', key.id, hash, JSON.stringify(key))
  queue(sql, kvKey('apiKey', hash))
}

export interface KeyChanged {
  /** The key as it is now, as JSON. */
  readonly body: string
  /** It was found by these. */
  readonly hashes: readonly string[]
}

/** Undefined for an unknown id. */
export function changeKey(sql: SqlStorage, id: string, change: KeyChange, expected?: Expected) {
  const before = storedKeyOfId(sql, id)
  if (before === undefined) return undefined
  if (!isExpected(before, expected)) return 'stale'
  const body = JSON.stringify(changedKey(JSON.parse(before), change))
  const hashes = [
    ...column<string>(sql, 'UPDATE api_key SET body = ? WHERE id = ? RETURNING hash', body, id),
    ...earlierHashes(sql, id),
  ]
  for (const each of hashes) queue(sql, kvKey('apiKey', each), 'revocation')
  return { body, hashes }
}

/** The secret before works until `until`, and those before that no longer. */
export function rotateKey(sql: SqlStorage, id: string, hash: string, until: number): KeyChanged | undefined {
  const key = firstRow<{ hash: string; body: string }>(sql, 'SELECT hash, body FROM api_key WHERE id = ?', id)
  if (!key) return undefined
  const { hash: before, body } = key
  const earlier = earlierHashes(sql, id)
  if (before === hash) return { body, hashes: [hash, ...earlier] }
  forgetEarlier(sql, id)
  sql.exec('INSERT INTO earlier_key VALUES (?, ?, ?)', before, id, until)
  sql.exec('UPDATE api_key SET hash = ? WHERE id = ?', hash, id)
  queue(sql, kvKey('apiKey', hash))
  queue(sql, kvKey('apiKey', before), 'revocation')
  return { body, hashes: [hash, before, ...earlier] }
}

export function forgetEarlier(sql: SqlStorage, id: string): void {
  for (const hash of column<string>(sql, 'DELETE FROM earlier_key WHERE id = ? RETURNING hash', id)) {
    queue(sql, kvKey('apiKey', hash), 'revocation')
  }
}

function earlierHashes(sql: SqlStorage, id: string): string[] {
  return column<string>(sql, 'SELECT hash FROM earlier_key WHERE id = ?', id)
}

export function noteUse(sql: SqlStorage, ids: readonly string[], at: number): void {
  const use = `INSERT INTO key_use SELECT id, ? FROM api_key WHERE id = ?
    ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`
  for (const id of ids) sql.exec(use, at, id)
}

export function lastUses(sql: SqlStorage): Record<string, number> {
  const uses = rows<{ id: string; at: number }>(sql, 'SELECT id, at FROM key_use')
  return Object.fromEntries(uses.map(({ id, at }) => [id, at]))
}
