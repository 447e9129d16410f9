import { formatToolId, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { isLeftOut, toolsBeside } from './documents.ts'
import { statusChanged } from './store-version.ts'
import { nameOf } from './versions.ts'

/** Has KV and the catalogue follow for tools that other versions of a document define. Gives the names of those left out. */
export function leaveOut(sql: SqlStorage, records: readonly ToolRecord[], revision: number): string[] {
  const [first] = records
  const stored = new Set(records.map(toolKey))
  const others = first ? toolsBeside(sql, toolKey(first)).filter((key) => !stored.has(key)) : []
  for (const key of others) statusChanged(sql, key, revision)
  return others
    .filter((key) => isLeftOut(sql, key))
    .flatMap((key) => nameOf(sql, key) ?? [])
    .map((name) => formatToolId(name))
}
