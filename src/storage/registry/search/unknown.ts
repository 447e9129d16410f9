import { distance } from 'fastest-levenshtein'
import type { Unknown } from '../../../core/catalogue/catalogue.ts'
import { levelled } from '../../../core/access/policy.ts'
import { policiesOf } from '../policies.ts'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { formatToolId, parseToolId, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { column, field } from '../../rows.ts'
import { nearestNames } from './nearest.ts'
import { NOT_DELETED, SHOWN } from './query.ts'
import { keysOf } from '../toolkits.ts'

const MAX_NAMED = 5
const MAX_LISTED = 10
const MAX_LOOKED_AT = 1_000

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

export function unknown(sql: SqlStorage, name: string, principal: Principal): Unknown {
  const tool = parseToolId(name)
  return tool ? unknownTool(sql, tool, principal) : { name, ...toolkitsNear(sql, name, principal) }
}

function unknownTool(sql: SqlStorage, tool: ToolName, principal: Principal): Unknown {
  const name = formatToolId(tool)
  const sees = (other: string) => isSeen(sql, other, principal)
  const near = nearestNames(sql, tool).map((each) => formatToolId(each))
  const known = firstOf(near, MAX_NAMED, sees)
  if (known.length > 0) return { name, known, isNear: true }
  if (!sees(tool.toolkit)) return unknown(sql, tool.toolkit, principal)
  return { name, known: firstOf(namesIn(sql, tool.toolkit), MAX_LISTED, sees), isNear: false }
}

function namesIn(sql: SqlStorage, toolkit: string): readonly string[] {
  const query = `SELECT toolkit || '.' || tool FROM tool
    WHERE key >= ? AND key < ? AND listed IS NOT NULL ORDER BY key LIMIT ?`
  return column<string>(sql, query, ...keysOf(toolkit), MAX_LOOKED_AT)
}

function toolkitsNear(sql: SqlStorage, asked: string, principal: Principal): Omit<Unknown, 'name'> {
  const names = toolkitNames(sql)
  const sees = (name: string) => isSeen(sql, name, principal)
  const near = names
    .map((name) => ({ name, far: farFrom(asked.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= Math.max(2, asked.length / 3))
    .sort((one, other) => one.far - other.far)
    .map(({ name }) => name)
  const known = firstOf(near, MAX_NAMED, sees)
  if (known.length > 0) return { known, isNear: true }
  return { known: firstOf(names, MAX_LISTED, sees), isNear: false }
}

/** With bundled ones and those that had tools once: one step of the index each. */
function toolkitNames(sql: SqlStorage): string[] {
  const names: string[] = []
  for (let from = ''; ;) {
    const name = field<string>(sql, 'SELECT toolkit FROM tool WHERE key >= ? ORDER BY key LIMIT 1', from)
    if (name === undefined) return names
    names.push(name)
    from = keysOf(name)[1]
  }
}

/** A name that begins with the other counts as near. */
function farFrom(asked: string, name: string): number {
  const isBeginning = asked.length > 2 && (name.startsWith(asked) || asked.startsWith(name))
  return isBeginning ? 1 : distance(asked, name)
}

function firstOf(names: readonly string[], most: number, isMeant: (name: string) => boolean): readonly string[] {
  const found: string[] = []
  for (const name of names) {
    if (found.length === most) break
    if (isMeant(name)) found.push(name)
  }
  return found
}
