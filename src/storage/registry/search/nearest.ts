import { nearestFirst } from '../../../core/tool/nearest.ts'
import { formatToolId, parseToolId, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { column } from '../../rows.ts'

const MAX_NEAREST = 20
/** On either side of the name in the order of ids, and of tool names. */
const MAX_BESIDE = 500

const BESIDE = ['key >= ? ORDER BY key', 'key < ? ORDER BY key DESC']
const ALIKE = ['lower(tool) >= ? ORDER BY lower(tool)', 'lower(tool) < ? ORDER BY lower(tool) DESC']
const CANDIDATES = [...BESIDE, ...ALIKE]
  .map((side) => `SELECT * FROM (SELECT key, toolkit, tool, listed FROM tool WHERE ${side} LIMIT ${MAX_BESIDE})`)
  .join(' UNION ')

/** Ignores case. A large registry misses names misspelt at the beginning of both parts: see `MAX_BESIDE`. */
export function nearestNames(sql: SqlStorage, asked: ToolName): ToolName[] {
  const [key, tool] = [toolKey(asked), asked.tool.toLowerCase()]
  const query = `SELECT toolkit || '.' || tool FROM (${CANDIDATES}) WHERE listed IS NOT NULL ORDER BY key`
  const ids = column<string>(sql, query, key, key, tool, tool)
  const calledSo = ids.filter((id) => id.toLowerCase().endsWith(`.${tool}`))
  const near = [...new Set([...calledSo, ...nearestFirst(formatToolId(asked), ids)])].slice(0, MAX_NEAREST)
  return near.flatMap((id) => parseToolId(id) ?? [])
}
