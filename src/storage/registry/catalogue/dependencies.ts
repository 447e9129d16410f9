import { kvKey } from '../../keys.ts'
import { column, rows } from '../../rows.ts'
import { waitingIn } from './landed-pages.ts'
import type { LeafPage } from './pages.ts'

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
