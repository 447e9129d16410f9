import type { ToolkitCount } from '../../core/catalogue/catalogue.ts'
import type { Principal } from '../../core/access/principal.ts'
import { scopeOf } from './search/visibility.ts'

export function toolkitCounts(sql: SqlStorage, principal: Principal): ToolkitCount[] {
  const { condition, bindings } = scopeOf(sql, {}, principal)
  return sql
    .exec<ToolkitCount>(
      `SELECT min(tool.toolkit) AS toolkit, count(*) AS tools, max(level) AS level
       FROM indexed JOIN tool USING (key) WHERE ${condition} GROUP BY indexed.toolkit ORDER BY indexed.toolkit`,
      ...bindings,
    )
    .toArray()
}
