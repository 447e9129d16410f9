import { kvKey } from '../../keys.ts'
import { column, field, firstRow } from '../../rows.ts'

export function leavesToLand(sql: SqlStorage, revision: number): string[] {
  return column<string>(sql, 'SELECT first FROM leaf WHERE behind <= ? ORDER BY behind, first', revision)
}

export function listableOf(sql: SqlStorage, first: string, keys: readonly string[]): ReadonlySet<string> {
  const page = pageAt(sql, first)
  const query = `SELECT value FROM json_each(?) WHERE value IN (SELECT value FROM json_each(?))
    OR NOT EXISTS (SELECT 1 FROM outbox WHERE target = ? || value)`
  return new Set(column<string>(sql, query, JSON.stringify(keys), page?.keys ?? '[]', kvKey('tool', '')))
}

/** Those that must be in the same head: one was split off another whose page in KV still has its tools. */
export function leavesLandingWith(sql: SqlStorage, first: string): readonly string[] {
  const page = pageAt(sql, first)
  if (!page) return []
  const splitOff = `SELECT first FROM leaf WHERE first > ?1 AND landed_lines IS NULL AND first < coalesce(
      (SELECT min(first) FROM leaf WHERE first > ?1 AND landed_lines IS NOT NULL), char(0x10ffff)) ORDER BY first`
  const next = field<string>(sql, `${splitOff} LIMIT 1`, page.first)
  if (next === undefined) return []
  const moved = JSON.parse(page.keys).filter((key: string) => key >= next)
  if (moved.length === 0) return []
  const query = 'SELECT DISTINCT (SELECT max(first) FROM leaf WHERE first <= value) FROM json_each(?)'
  return [page.first, ...column<string>(sql, query, JSON.stringify(moved))]
}

/** The leaf whose page in KV has, or had, a leaf's tools, with the keys on that page as JSON. */
function pageAt(sql: SqlStorage, first: string): { first: string; keys: string } | undefined {
  return firstRow(
    sql,
    `SELECT first, landed_keys AS keys FROM leaf WHERE first <= ? AND landed_lines IS NOT NULL ORDER BY first DESC LIMIT 1`,
    first,
  )
}
