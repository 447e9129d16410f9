import type { Toolset, ToolsetSummary } from '../../core/access/toolset.ts'
import { readField } from '../rows.ts'

export function toolsetText(sql: SqlStorage, name: string): string | undefined {
  return readField<string>(sql, 'SELECT body FROM toolset WHERE name = ?', name)
}

/** A deleted toolset's owner is a row of the same table, under a name that no toolset can have. */
export const toDeletedName = (name: string) => `deleted/${name}`
export const IS_TOOLSET = "name NOT GLOB 'deleted/*'"

export function findFormerOwner(sql: SqlStorage, name: string): string | undefined {
  return toolsetText(sql, toDeletedName(name))
}

export function lockText(sql: SqlStorage, hash: string): string | undefined {
  return readField<string>(sql, 'SELECT body FROM lock WHERE hash = ?', hash)
}

export function listToolsets(sql: SqlStorage): ToolsetSummary[] {
  const summaries: ToolsetSummary[] = []
  // Read one by one, because all together may not fit in memory
  for (const { body } of sql.exec<{ body: string }>(`SELECT body FROM toolset WHERE ${IS_TOOLSET} ORDER BY name`))
    summaries.push(summarizeToolset(JSON.parse(body)))
  return summaries
}

function summarizeToolset({ definition, pending, ...toolset }: Toolset): ToolsetSummary {
  const { title, enabled, tools } = definition
  const counts = { enabled, tool_count: tools.length, pending: pending !== undefined }
  return { ...toolset, ...(title === undefined ? {} : { title }), ...counts }
}
