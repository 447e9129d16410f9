import type { ApiKey } from '../../core/access/api-key.ts'
import { type Expected, isExpected } from '../../core/tool/revision.ts'
import { kvKey } from '../keys.ts'
import { column, field, firstRow } from '../rows.ts'
import { queue } from './tables.ts'

/** The key that a hash is of, serialised: for a text that was rotated away, until its overlap is over. */
export function keyText(sql: SqlStorage, hash: string): string | undefined {
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

/** The key of an id, serialised. */
export function keyTextOfId(sql: SqlStorage, id: string): string | undefined {
  return field<string>(sql, 'SELECT body FROM api_key WHERE id = ?', id)
}

/** Stores a new key. That one is stored twice is whoever asks again, since the answer was lost. */
export function storeKey(sql: SqlStorage, key: ApiKey, hash: string): void {
  sql.exec('INSERT OR IGNORE INTO api_key VALUES (?, ?, ?)', key.id, hash, JSON.stringify(key))
  queue(sql, kvKey('apiKey', hash))
}

/**
 * Puts a key in place of the one of its id, whose texts stay. The hashes of these; undefined where there is no such key, and `stale`
 * where it is not as expected.
 */
export function changeKey(sql: SqlStorage, key: ApiKey, expected?: Expected): string[] | 'stale' | undefined {
  const before = keyTextOfId(sql, key.id)
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

/**
 * Gives a key another text; the one it had works until then, and what it had before that no longer. The hashes of all of these;
 * undefined where there is no such key.
 */
export function rotateKey(sql: SqlStorage, id: string, hash: string, until: number): string[] | undefined {
  const before = field<string>(sql, 'SELECT hash FROM api_key WHERE id = ?', id)
  if (before === undefined) return undefined
  const earlier = earlierHashes(sql, id)
  // Whoever asks again, since the answer was lost
  if (before === hash) return [hash, ...earlier]
  forgetEarlier(sql, id)
  sql.exec('INSERT INTO earlier_key VALUES (?, ?, ?)', before, id, until)
  sql.exec('UPDATE api_key SET hash = ? WHERE id = ?', hash, id)
  queue(sql, kvKey('apiKey', hash))
  queue(sql, kvKey('apiKey', before), 'revocation')
  return [hash, before, ...earlier]
}

/** Forgets the texts that a key had before. */
export function forgetEarlier(sql: SqlStorage, id: string): void {
  for (const hash of column<string>(sql, 'DELETE FROM earlier_key WHERE id = ? RETURNING hash', id)) {
    queue(sql, kvKey('apiKey', hash), 'revocation')
  }
}

function earlierHashes(sql: SqlStorage, id: string): string[] {
  return column<string>(sql, 'SELECT hash FROM earlier_key WHERE id = ?', id)
}

/** Notes that keys were used at a time, in milliseconds since 1970. */
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

/** When each key was last used, by id, in milliseconds since 1970. */
export function lastUses(sql: SqlStorage): Record<string, number> {
  return Object.fromEntries(
    sql
      .exec<{ id: string; at: number }>('SELECT id, at FROM key_use')
      .toArray()
      .map(({ id, at }) => [id, at]),
  )
}
