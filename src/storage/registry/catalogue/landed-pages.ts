import { kvKey } from '../../keys.ts'
import { column, field, firstRow, rows } from '../../rows.ts'
import type { Leaf } from './head.ts'
import type { ListedTool } from './listed-tools.ts'
import type { LeafPage } from './pages.ts'

/** The first that KV lacks changes of up to the revision, from a key on. */
export function leafToLand(sql: SqlStorage, revision: number, from: string): string | undefined {
  const query = 'SELECT first FROM leaf WHERE behind <= ? AND first >= ? ORDER BY first LIMIT 1'
  return field<string>(sql, query, revision, from)
}

export function landedLeaves(sql: SqlStorage): Leaf[] {
  const query =
    'SELECT first, landed_count AS count, landed_page AS page FROM leaf WHERE landed_page IS NOT NULL ORDER BY first'
  return rows<{ first: string; count: number; page: string }>(sql, query)
}

/** The keys of a range that KV has no document of as they are now. */
function waitingIn(sql: SqlStorage, first: string, until: string): ReadonlySet<string> {
  const query = 'SELECT substr(target, ?) FROM outbox WHERE target >= ? AND target < ?'
  const prefix = kvKey('tool', '')
  return new Set(column<string>(sql, query, prefix.length + 1, prefix + first, prefix + until))
}

/** Without the new tools that wait. */
export function listableOf(sql: SqlStorage, first: string, until: string, tools: readonly ListedTool[]) {
  const waiting = waitingIn(sql, first, until)
  if (waiting.size === 0) return tools
  const landed = new Set<string>(JSON.parse(pageAt(sql, first)?.keys ?? '[]'))
  return tools.filter(({ key }) => landed.has(key) || !waiting.has(key))
}

/** Those that must be in the same head: one was split off another whose page in KV still has its tools. */
export function leavesLandingWith(sql: SqlStorage, first: string): readonly string[] {
  const page = pageAt(sql, first)
  if (!page) return []
  const splitOff = `SELECT first FROM leaf WHERE first > ?1 AND landed_page IS NULL AND first < coalesce(
      (SELECT min(first) FROM leaf WHERE first > ?1 AND landed_page IS NOT NULL), char(0x10ffff)) ORDER BY first`
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
    `SELECT first, landed_keys AS keys FROM leaf WHERE first <= ? AND landed_page IS NOT NULL ORDER BY first DESC LIMIT 1`,
    first,
  )
}

/** All that waits of the tools of pages, and must be in KV before a head names these. */
export function dependenciesOfPages(sql: SqlStorage, pages: readonly LeafPage[]): string[] {
  const tools = pages.flatMap(({ leaf, until, keys }) => {
    const waiting = waitingIn(sql, leaf.first, until)
    return waiting.size === 0 ? [] : keys.filter((key) => waiting.has(key))
  })
  const query = `SELECT target, tool.key AS key FROM outbox CROSS JOIN name ON name.name = substr(target, length(?1) + 1)
    CROSS JOIN tool USING (key) WHERE target > ?1 AND target < ?1 || char(0x10ffff) AND lower(exposed) = name.name`
  const named = rows<{ target: string; key: string }>(sql, query, kvKey('name', ''))
  const names = named.filter(({ key }) => pages.some(({ keys }) => keys.includes(key))).map(({ target }) => target)
  return [...dependenciesOfTools(sql, tools), ...tools.map((key) => kvKey('tool', key)), ...names]
}

export function dependenciesOfTools(sql: SqlStorage, keys: readonly string[]): string[] {
  if (keys.length === 0) return []
  return column<string>(
    sql,
    `WITH asked (tool) AS MATERIALIZED (SELECT value FROM json_each(?)),
     stored (digest, source, bytes) AS MATERIALIZED (
       SELECT digest, json_extract(record, '$.source.hash'),
         CASE json_extract(record, '$.implementation.kind') WHEN 'wasm' THEN json_extract(record, '$.implementation.blob') END
       FROM asked CROSS JOIN version ON version.key = asked.tool
     ),
     named (wanted) AS (
       SELECT ? || digest FROM stored UNION SELECT ? || source FROM stored UNION SELECT ? || bytes FROM stored
       UNION SELECT ? || dialect || substr(key, instr(key, '/')) FROM asked CROSS JOIN document_tool USING (tool)
     )
     SELECT target FROM named CROSS JOIN outbox ON target = wanted`,
    JSON.stringify(keys),
    ...(['record', 'document', 'blob', 'address'] as const).map((kind) => kvKey(kind, '')),
  )
}
