import { distance } from 'fastest-levenshtein'
import { formatToolId, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'

const MAX_NEAREST = 20
/** On either side of the name in the order of ids, and of tool names. */
const MAX_BESIDE = 500

type ToolRow = { readonly key: string; readonly toolkit: string; readonly tool: string; readonly listed: string | null }

/** Ignores case. A large registry misses names misspelt at the beginning of both parts: see `MAX_BESIDE`. */
export function nearestNames(sql: SqlStorage, asked: ToolName): ToolName[] {
  const wanted = formatToolId(asked).toLowerCase()
  const tool = asked.tool.toLowerCase()
  const most = Math.max(2, wanted.length / 3)
  const near = new Map<string, { readonly name: ToolName; readonly far: number }>()
  for (const { key, listed, ...name } of candidates(sql, wanted, tool)) {
    if (listed === null || near.has(key)) continue
    const isCalledSo = name.tool.toLowerCase() === tool
    if (!isCalledSo && Math.abs(key.length - wanted.length) > most) continue
    const far = isCalledSo ? 1 : distance(wanted, key)
    if (far <= most) near.set(key, { name, far })
  }
  return [...near.values()]
    .sort((a, b) => a.far - b.far || (toolKey(a.name) < toolKey(b.name) ? -1 : 1))
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name)
}

function candidates(sql: SqlStorage, wanted: string, tool: string): readonly ToolRow[] {
  const read = (rest: string, ...bindings: readonly SqlStorageValue[]) =>
    sql.exec<ToolRow>(`SELECT key, toolkit, tool, listed FROM tool ${rest}`, ...bindings).toArray()
  return [
    ...read('WHERE key >= ? ORDER BY key LIMIT ?', wanted, MAX_BESIDE),
    ...read('WHERE key < ? ORDER BY key DESC LIMIT ?', wanted, MAX_BESIDE),
    ...read('WHERE lower(tool) >= ? ORDER BY lower(tool) LIMIT ?', tool, MAX_BESIDE),
    ...read('WHERE lower(tool) < ? ORDER BY lower(tool) DESC LIMIT ?', tool, MAX_BESIDE),
  ]
}
