import { kvKey } from '../../keys.ts'
import { column, field, firstRow } from '../../rows.ts'

/** The leaves of which KV lacks a change up to a revision, by their first keys. */
export function leavesToLand(sql: SqlStorage, revision: number): string[] {
  return column<string>(sql, 'SELECT first FROM leaf WHERE behind <= ? ORDER BY behind, first', revision)
}

/** Which of a leaf's tools can be listed by KV: its documents of them have landed, or it lists them already. */
export function listableOf(sql: SqlStorage, first: string, keys: readonly string[]): ReadonlySet<string> {
  const page = pageAt(sql, first)
  const query = `SELECT value FROM json_each(?) WHERE value IN (SELECT value FROM json_each(?))
    OR NOT EXISTS (SELECT 1 FROM outbox WHERE target = ? || value)`
  return new Set(column<string>(sql, query, JSON.stringify(keys), page?.keys ?? '[]', kvKey('tool', '')))
}

/**
 * The leaves that are to land together with one, itself perhaps among them: it was split off another since that landed, whose
 * page in KV has tools that now belong to these. None where no page reaches beyond its own leaf.
 */
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

/** The leaf whose page in KV has, or had, the tools of a leaf, and the keys of what is on it as JSON. */
function pageAt(sql: SqlStorage, first: string): { first: string; keys: string } | undefined {
  return firstRow(
    sql,
    `SELECT first, landed_keys AS keys FROM leaf WHERE first <= ? AND landed_lines IS NOT NULL ORDER BY first DESC LIMIT 1`,
    first,
  )
}
