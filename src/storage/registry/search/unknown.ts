import type { UnknownName } from '../../../core/catalog/catalog.ts'
import { raiseLevel } from '../../../core/access/policy.ts'
import { iterateKeys, loadPolicySet } from '../policies.ts'
import { ADMIN, maySee, type Principal } from '../../../core/access/principal.ts'
import { editDistance, sortByDistance } from '../../../core/tool/nearest.ts'
import { matchesPattern, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import { column, rows } from '../../rows.ts'
import { toolkitCounts } from '../toolkit-counts.ts'
import { toolKeyRange } from '../toolkits.ts'
import { NOT_DELETED, IS_SHOWN_SQL } from '../versions.ts'
import { toSearchText } from './search-index.ts'
import { buildScope } from './visibility.ts'

const MAX_NAMED = 5
const MAX_LISTED = 10

type ToolRow = { readonly toolkit: string; readonly tool: string; readonly securityLevel: number }
const KNOWN = `left_bundle = 0 AND json_extract(status, '$.state') <> 'pending' AND ${NOT_DELETED}`

export function isSeen(sql: SqlStorage, name: string, principal: Principal): boolean {
  const tool = parseToolId(name)
  const query = `SELECT toolkit, tool, json_extract(record, '$.securityLevel') AS securityLevel FROM version
    JOIN tool USING (key) WHERE ${tool ? `key = ? AND ${KNOWN}` : `key >= ? AND key < ? AND ${IS_SHOWN_SQL}`}`
  const policies = loadPolicySet(sql)
  for (const row of sql.exec<ToolRow>(query, ...(tool ? [toolKey(tool)] : toolKeyRange(name))))
    if (maySee(principal, raiseLevel(row, policies.policyFor(row)), 'tools:read')) return true
  return false
}

/** A total, so that made-up patterns keep the Registry busy only for a moment. */
const MAX_KEYS_COMPARED = 100_000

/** Lists the patterns that match no tool that the principal may see. */
export function listUnmatched(sql: SqlStorage, patterns: readonly string[], principal: Principal): string[] {
  let compared = 0
  return patterns.filter((pattern) => {
    for (const key of iterateKeys(sql, pattern)) {
      compared += 1
      if (compared > MAX_KEYS_COMPARED) return false
      if (matchesPattern(pattern, key) && isSeen(sql, key, principal)) return false
    }
    return true
  })
}

/** Suggests names of tools or toolkits that the principal may see instead of an unknown name. */
export function suggestForUnknown(sql: SqlStorage, name: string, principal: Principal): UnknownName {
  const { toolkit } = parseToolId(name) ?? {}
  const near = toolkit === undefined ? [] : toolsNear(sql, name, principal).map(({ id }) => id)
  if (near.length > 0) return { name, known: near.slice(0, MAX_NAMED), isNear: true }
  if (toolkit === undefined || !isSeen(sql, toolkit, principal)) return unknownToolkit(sql, toolkit ?? name, principal)
  const { condition, bindings } = buildScope(sql, { toolkit }, principal)
  const query = `SELECT tool.toolkit || '.' || tool FROM indexed JOIN tool USING (key) WHERE ${condition} ORDER BY key LIMIT ?`
  return { name, known: column<string>(sql, query, ...bindings, MAX_LISTED), isNear: false }
}

function unknownToolkit(sql: SqlStorage, name: string, principal: Principal): UnknownName {
  const toolkits = toolkitCounts(sql, principal).map(({ toolkit }) => toolkit)
  const begins = (one: string, other: string) => one.length > 2 && other.toLowerCase().startsWith(one.toLowerCase())
  const measureDistance = (each: string) => (begins(name, each) || begins(each, name) ? 0 : editDistance(name, each))
  const near = sortByDistance(toolkits, measureDistance)
  const isNear = near.length > 0
  return { name, known: isNear ? near.slice(0, MAX_NAMED) : toolkits.slice(0, MAX_LISTED), isNear }
}

const MAX_NEAR = 20
/** Tools read before and after the name, in the order of ids and in the order of tools' names without toolkit. */
const MAX_BESIDE = 250

const CANDIDATES = ['whole', 'plain']
  .flatMap((name) => [`${name} >= ? ORDER BY ${name}`, `${name} < ? ORDER BY ${name} DESC`])
  .map((side) => `SELECT id FROM (SELECT id FROM indexed WHERE ${side} LIMIT ${MAX_BESIDE})`)
  .join(' UNION ')

export type NearTool = Readonly<Record<'id' | 'name' | 'whole' | 'plain', string>> & { readonly callable: number }

/**
 * Finds tools of the same name in any toolkit, then those with a similar id or name, ignoring case and separators. In a large
 * registry, names misspelled at the beginning of both parts are not found: see `MAX_BESIDE`.
 */
export function toolsNear(sql: SqlStorage, requestedName: string, principal = ADMIN): NearTool[] {
  const [name, tool] = [toSearchText(requestedName), toSearchText(requestedName.slice(requestedName.indexOf('.') + 1))]
  const { condition, bindings } = buildScope(sql, {}, principal)
  const query = `SELECT tool.toolkit || '.' || tool AS id, exposed AS name, whole, plain, callable
    FROM indexed JOIN tool USING (key) WHERE indexed.id IN (${CANDIDATES}) AND ${condition} ORDER BY key`
  return sortByDistance(rows<NearTool>(sql, query, name, name, tool, tool, ...bindings), ({ whole, plain }) =>
    plain === tool ? 0 : Math.min(editDistance(name, whole), editDistance(name, plain)),
  ).slice(0, MAX_NEAR)
}
