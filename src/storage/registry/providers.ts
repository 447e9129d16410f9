import type { Provider } from '../../core/consent/provider.ts'
import { nextRevision, queue } from './tables.ts'

/** A given provider as it is stored, serialised. */
export function providerText(sql: SqlStorage, id: string): string | undefined {
  return sql.exec<{ body: string }>('SELECT body FROM provider WHERE id = ?', id).toArray()[0]?.body
}

export function providerTexts(sql: SqlStorage): string[] {
  return sql
    .exec<{ body: string }>('SELECT body FROM provider ORDER BY id')
    .toArray()
    .map(({ body }) => body)
}

/** Stores a provider in place of the one of its id, and gives whether there was none. */
export function storeProvider(sql: SqlStorage, provider: Provider): boolean {
  const isNew = providerText(sql, provider.id) === undefined
  sql.exec(
    'INSERT INTO provider VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
    provider.id,
    JSON.stringify(provider),
  )
  queue(sql, `provider/${provider.id}`, nextRevision(sql))
  return isNew
}

/** Whether there was such a provider. */
export function removeProvider(sql: SqlStorage, id: string): boolean {
  if (sql.exec('DELETE FROM provider WHERE id = ? RETURNING id', id).toArray().length === 0) return false
  queue(sql, `provider/${id}`, nextRevision(sql))
  return true
}
