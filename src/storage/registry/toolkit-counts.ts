import type { Principal } from '../../core/access/principal.ts'
import type { ListQuery, ToolkitCount } from '../../core/catalog/catalog.ts'
import { rows } from '../rows.ts'
import { listPrefixes, buildScope } from './search/visibility.ts'

export function toolkitCounts(sql: SqlStorage, principal: Principal, query: Pick<ListQuery, 'callable'> = {}) {
  const { condition, bindings } = buildScope(sql, query, principal)
  // Counts tools only if the principal's patterns may exclude some. Otherwise, the stored counts are enough
  const [table, count] = listPrefixes(principal) ? ['indexed', 'count(*)'] : ['toolkit_count', 'sum(tools)']
  const counts = `SELECT
      (SELECT toolkit FROM tool WHERE key >= indexed.toolkit || '.' AND key < indexed.toolkit || '/' LIMIT 1) AS toolkit,
      (SELECT description FROM toolkit WHERE key = indexed.toolkit) AS description,
      ${count} AS tools, max(level) AS level
    FROM ${table} AS indexed WHERE ${condition} GROUP BY indexed.toolkit ORDER BY indexed.toolkit`
  return rows<ToolkitCount>(sql, counts, ...bindings)
}
