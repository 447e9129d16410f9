import type { ApiKey } from '../../core/access/api-key.ts'
import { kvKey } from '../keys.ts'
import { column, field } from '../rows.ts'
import { queue } from './tables.ts'

/** What is stored of the key of a hash, serialised. */
export function apiKeyText(sql: SqlStorage, hash: string): string | undefined {
  return field<string>(sql, 'SELECT body FROM api_key WHERE hash = ?', hash)
}

export function apiKeyTexts(sql: SqlStorage): string[] {
  return column<string>(sql, 'SELECT body FROM api_key ORDER BY rowid')
}

export function storeApiKey(sql: SqlStorage, key: ApiKey, hash: string): void {
  sql.exec('INSERT INTO api_key VALUES (?, ?, ?)', key.id, hash, JSON.stringify(key))
  queue(sql, kvKey('apiKey', hash))
}

/** Whether there was such a key. */
export function removeApiKey(sql: SqlStorage, id: string): boolean {
  const hash = field<string>(sql, 'DELETE FROM api_key WHERE id = ? RETURNING hash', id)
  if (hash !== undefined) queue(sql, kvKey('apiKey', hash))
  return hash !== undefined
}
