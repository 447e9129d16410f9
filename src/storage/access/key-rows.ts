import type { ApiKey } from '../../core/access/api-key.ts'
import { type Expected, isExpected } from '../../core/tool/revision.ts'
import { kvKey } from '../keys.ts'
import { column, field, firstRow } from '../rows.ts'
import { queue } from './tables.ts'

/** A hash that was rotated away finds its key until the overlap is over. */
export function storedKey(sql: SqlStorage, hash: string): string | undefined {
  const body = field<string>(sql, 'SELECT body FROM api_key WHERE hash = ?', hash)
  if (body !== undefined) return body
  const before = firstRow<{ readonly body: string; readonly until: number }>(
    sql,
    'SELECT body, until FROM earlier_key JOIN api_key ON api_key.id = earlier_key.id WHERE earlier_key.hash = ?',
    hash,
  )
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

/** Gives the hashes the key is found by; undefined for an unknown id. */
export function changeKey(sql: SqlStorage, key: ApiKey, expected?: Expected): string[] | 'stale' | undefined {
  const before = storedKeyOfId(sql, key.id)
  if (before !== undefined && !isExpected(before, expected)) return 'stale'
  const hash = field<string>(
    sql,
    'UPDATE api_key SET body = ? WHERE id = ? RETURNING hash',
    JSON.stringify(key),
    key.id,
  )
  if (hash === undefined) return undefined
  const hashes = [hash, ...earlierHashes(sql, key.id)]
  for (const each of hashes) queue(sql, kvKey('apiKey', each), 'revocation')
  return hashes
}

/** The secret before works until `until`, and those before that no longer. Gives all their hashes. */
export function rotateKey(sql: SqlStorage, id: string, hash: string, until: number): string[] | undefined {
  const before = field<string>(sql, 'SELECT hash FROM api_key WHERE id = ?', id)
  if (before === undefined) return undefined
  const earlier = earlierHashes(sql, id)
  if (before === hash) return [hash, ...earlier]
  forgetEarlier(sql, id)
  sql.exec('INSERT INTO earlier_key VALUES (?, ?, ?)', before, id, until)
  sql.exec('UPDATE api_key SET hash = ? WHERE id = ?', hash, id)
  queue(sql, kvKey('apiKey', hash))
  queue(sql, kvKey('apiKey', before), 'revocation')
  return [hash, before, ...earlier]
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
  for (const id of ids) {
    sql.exec(
      `INSERT INTO key_use SELECT id, ? FROM api_key WHERE id = ?
       ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
      at,
      id,
    )
  }
}

export function lastUses(sql: SqlStorage): Record<string, number> {
  return Object.fromEntries(
    sql
      .exec<{ id: string; at: number }>('SELECT id, at FROM key_use')
      .toArray()
      .map(({ id, at }) => [id, at]),
  )
}
