import type { Unknown } from '../../../core/catalogue/catalogue.ts'
import { levelled } from '../../../core/access/policy.ts'
import { policiesOf } from '../policies.ts'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { nearestFirst } from '../../../core/tool/nearest.ts'
import { formatToolId, parseToolId, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { column } from '../../rows.ts'
import { toolkitCounts } from '../toolkit-counts.ts'
import { keysOf } from '../toolkits.ts'
import { NOT_DELETED, SHOWN } from '../versions.ts'
import { scopeOf } from './visibility.ts'

const MAX_NAMED = 5
const MAX_LISTED = 10

type ToolRow = { readonly toolkit: string; readonly tool: string; readonly securityLevel: number }
const ROWS = `SELECT toolkit, tool, json_extract(record, '$.securityLevel') AS securityLevel
  FROM version JOIN tool USING (key)`

const KNOWN = `left_bundle = 0 AND json_extract(status, '$.state') <> 'pending' AND ${NOT_DELETED}`

export function isSeen(sql: SqlStorage, name: string, principal: Principal): boolean {
  const tool = parseToolId(name)
  const rows = tool
    ? sql.exec<ToolRow>(`${ROWS} WHERE version.key = ? AND ${KNOWN}`, toolKey(tool))
    : sql.exec<ToolRow>(`${ROWS} WHERE version.key >= ? AND version.key < ? AND ${SHOWN}`, ...keysOf(name))
  const policies = policiesOf(sql)
  for (const row of rows) if (maySee(principal, levelled(row, policies.ruleOf(row)))) return true
  return false
}

/** Says which names there are in its place, of those that the principal sees. */
export function unknown(sql: SqlStorage, name: string, principal: Principal): Unknown {
  const tool = parseToolId(name)
  if (!tool) return unknownToolkit(sql, name, principal)
  const known = nearestNames(sql, tool)
    .filter((each) => isSeen(sql, each, principal))
    .slice(0, MAX_NAMED)
  if (known.length > 0) return { name: formatToolId(tool), known, isNear: true }
  if (!isSeen(sql, tool.toolkit, principal)) return unknownToolkit(sql, tool.toolkit, principal)
  const { condition, bindings } = scopeOf(sql, { toolkit: tool.toolkit }, principal)
  const query = `SELECT tool.toolkit || '.' || tool FROM indexed JOIN tool USING (key) WHERE ${condition} ORDER BY key LIMIT ?`
  return { name: formatToolId(tool), known: column<string>(sql, query, ...bindings, MAX_LISTED), isNear: false }
}

function unknownToolkit(sql: SqlStorage, name: string, principal: Principal): Unknown {
  const toolkits = toolkitCounts(sql, principal).map(({ toolkit }) => toolkit)
  const prefix = (one: string, other: string) => one.length > 2 && other.toLowerCase().startsWith(one.toLowerCase())
  const extended = toolkits.filter((toolkit) => prefix(name, toolkit) || prefix(toolkit, name))
  const near = [...new Set([...nearestFirst(name, toolkits), ...extended])]
  const isNear = near.length > 0
  return { name, known: isNear ? near.slice(0, MAX_NAMED) : toolkits.slice(0, MAX_LISTED), isNear }
}

const MAX_NEAREST = 20
/** On either side of the name in the order of ids, and of tool names. */
const MAX_BESIDE = 500

const CANDIDATES = ['key', 'lower(tool)']
  .flatMap((name) => [`${name} >= ? ORDER BY ${name}`, `${name} < ? ORDER BY ${name} DESC`])
  .map((side) => `SELECT * FROM (SELECT key, toolkit, tool, listed FROM tool WHERE ${side} LIMIT ${MAX_BESIDE})`)
  .join(' UNION ')

/** Ignores case. A large registry misses names misspelt at the beginning of both parts: see `MAX_BESIDE`. */
export function nearestNames(sql: SqlStorage, asked: ToolName): string[] {
  const [key, tool] = [toolKey(asked), asked.tool.toLowerCase()]
  const query = `SELECT toolkit || '.' || tool FROM (${CANDIDATES}) WHERE listed IS NOT NULL ORDER BY key`
  const ids = column<string>(sql, query, key, key, tool, tool)
  const calledSo = ids.filter((id) => id.toLowerCase().endsWith(`.${tool}`))
  return [...new Set([...calledSo, ...nearestFirst(formatToolId(asked), ids)])].slice(0, MAX_NEAREST)
}
