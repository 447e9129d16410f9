import type { Provider } from '../../core/consent/provider.ts'
import { kvKey } from '../keys.ts'
import { column, field } from '../rows.ts'
import { queue } from './tables.ts'

/** A given provider as it is stored, serialised. */
export function providerText(sql: SqlStorage, id: string): string | undefined {
  return field<string>(sql, 'SELECT body FROM provider WHERE id = ?', id)
}

export function providerTexts(sql: SqlStorage): string[] {
  return column<string>(sql, 'SELECT body FROM provider ORDER BY id')
}

/** Stores a provider in place of the one of its id, and gives whether there was none. */
export function storeProvider(sql: SqlStorage, provider: Provider): boolean {
  const isNew = providerText(sql, provider.id) === undefined
  sql.exec(
    'INSERT INTO provider VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
    provider.id,
    JSON.stringify(provider),
  )
  queue(sql, kvKey('provider', provider.id))
  return isNew
}

/** Whether there was such a provider. */
export function removeProvider(sql: SqlStorage, id: string): boolean {
  const wasThere = field(sql, 'DELETE FROM provider WHERE id = ? RETURNING id', id) !== undefined
  if (wasThere) queue(sql, kvKey('provider', id))
  return wasThere
}
