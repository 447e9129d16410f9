import type { Provider } from '../../core/consent/provider.ts'
import { type Expected, isExpected } from '../../core/tool/revision.ts'
import { kvKey } from '../keys.ts'
import { column, field } from '../rows.ts'
import { forgetEarlier, storedKey } from './key-rows.ts'
import { queue } from './tables.ts'

const TABLES = {
  apiKey: { table: 'api_key', address: 'hash', order: 'rowid' },
  provider: { table: 'provider', address: 'id', order: 'id' },
} as const

export type GivenKind = keyof typeof TABLES

export function givenText(sql: SqlStorage, kind: GivenKind, of: string): string | undefined {
  if (kind === 'apiKey') return storedKey(sql, of)
  const { table, address } = TABLES[kind]
  return field<string>(sql, `SELECT body FROM ${table} WHERE ${address} = ?`, of)
}

export function givenTexts(sql: SqlStorage, kind: GivenKind): string[] {
  const { table, order } = TABLES[kind]
  return column<string>(sql, `SELECT body FROM ${table} ORDER BY ${order}`)
}

export function storeProvider(sql: SqlStorage, provider: Provider, expected?: Expected): boolean | 'stale' {
  const before = givenText(sql, 'provider', provider.id)
  if (!isExpected(before, expected)) return 'stale'
  const isNew = before === undefined
  sql.exec('INSERT OR REPLACE INTO provider VALUES (?, ?)', provider.id, JSON.stringify(provider))
  queue(sql, kvKey('provider', provider.id), isNew ? 'publication' : 'status')
  return isNew
}

export function removeGiven(sql: SqlStorage, kind: GivenKind, id: string, expected?: Expected): boolean | 'stale' {
  const { table, address } = TABLES[kind]
  const before = field<string>(sql, `SELECT body FROM ${table} WHERE id = ?`, id)
  if (before !== undefined && !isExpected(before, expected)) return 'stale'
  if (kind === 'apiKey') {
    forgetEarlier(sql, id)
    sql.exec('DELETE FROM key_use WHERE id = ?', id)
  }
  const of = field<string>(sql, `DELETE FROM ${table} WHERE id = ? RETURNING ${address}`, id)
  if (of !== undefined) queue(sql, kvKey(kind, of), 'revocation')
  return of !== undefined
}
