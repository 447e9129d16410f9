import { kvKey } from '../../keys.ts'
import { column } from '../../rows.ts'

export function dependenciesOfListed(sql: SqlStorage, keys: readonly string[]): string[] {
  const listed = JSON.stringify(keys)
  const tools = column<string>(
    sql,
    'SELECT value FROM json_each(?) CROSS JOIN outbox ON target = ? || value',
    listed,
    kvKey('tool', ''),
  )
  const names = column<string>(
    sql,
    `SELECT target FROM json_each(?) CROSS JOIN tool ON tool.key = value CROSS JOIN outbox ON target = ? || lower(exposed)`,
    listed,
    kvKey('name', ''),
  )
  return [...dependenciesOfTools(sql, tools), ...tools.map((key) => kvKey('tool', key)), ...names]
}

export function dependenciesOfTools(sql: SqlStorage, keys: readonly string[]): string[] {
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
       UNION SELECT ? || dialect || '/' || key FROM asked CROSS JOIN document_tool USING (tool)
     )
     SELECT target FROM named CROSS JOIN outbox ON target = wanted`,
    JSON.stringify(keys),
    ...(['record', 'document', 'blob', 'address'] as const).map((kind) => kvKey(kind, '')),
  )
}
