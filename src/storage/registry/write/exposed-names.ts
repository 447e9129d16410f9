import { toDerivedName, toolKey, type ToolName, appendHash } from '../../../core/tool/tool-id.ts'
import { readField } from '../../rows.ts'
import { kvKey } from '../../keys.ts'
import { queue } from '../tables.ts'
import { isToolkit } from '../toolkits.ts'
import { loadToolName } from '../versions.ts'

/**
 * Claims a tool's name for protocols without ids: an administrator's choice, else the document's name if that is free, else
 * the derived `Toolkit_Tool`. A name leads to its tool until an administrator moves it.
 */
export function claimExposedName(sql: SqlStorage, name: ToolName, declared: string): string {
  const key = toolKey(name)
  const derived = claimDerived(sql, name)
  const wantedName = readField<string | null>(sql, 'SELECT given FROM tool WHERE key = ?', key) ?? declared
  return claimName(sql, name, wantedName) ? wantedName : derived
}

/** Whether another tool has the name, or it begins like the names in another toolkit. */
export function isTakenName(sql: SqlStorage, name: ToolName, candidate: string): boolean {
  const holder = keyOfName(sql, candidate)
  return holder === undefined ? isOfAnotherToolkit(sql, name, candidate) : holder !== toolKey(name)
}

export function claimName(sql: SqlStorage, name: ToolName, declaredName: string): boolean {
  const key = toolKey(name)
  const holder = keyOfName(sql, declaredName)
  if (holder !== undefined) return holder === key
  if (isOfAnotherToolkit(sql, name, declaredName)) return false
  pointName(sql, declaredName, key)
  return true
}

export function keyOfName(sql: SqlStorage, name: string): string | undefined {
  return readField<string>(sql, 'SELECT key FROM name WHERE name = ?', name.toLowerCase())
}

/** Returns the keys of tools whose exposed name may have changed; undefined if the name is another tool's derived name. */
export function assignName(sql: SqlStorage, key: string, name: string | null): readonly string[] | undefined {
  if (name === null) {
    sql.exec('UPDATE tool SET given = NULL WHERE key = ?', key)
    return [key]
  }
  const holder = keyOfName(sql, name)
  if (holder !== undefined && holder !== key && hasDerived(sql, holder, name)) return undefined
  if (holder !== undefined)
    sql.exec('UPDATE tool SET given = NULL WHERE key = ? AND lower(given) = lower(?)', holder, name)
  sql.exec('UPDATE tool SET given = ? WHERE key = ?', name, key)
  pointName(sql, name, key)
  return holder === undefined || holder === key ? [key] : [key, holder]
}

function claimDerived(sql: SqlStorage, name: ToolName): string {
  const key = toolKey(name)
  const derivedName = toDerivedName(name)
  // `A_B.C` and `A.B_C` have the same derived name: the second one gets a stable suffix
  for (let derived = derivedName, salt = key; ; derived = appendHash(derivedName, salt), salt += '+') {
    const holder = keyOfName(sql, derived)
    if (holder === undefined) pointName(sql, derived, key)
    if (holder === undefined || holder === key) return derived
  }
}

function isOfAnotherToolkit(sql: SqlStorage, { toolkit }: ToolName, candidate: string): boolean {
  const name = candidate.toLowerCase()
  if (/^[_.]/.test(name.slice(toolkit.length)) && name.startsWith(toolkit.toLowerCase())) return false
  for (let at = 1; at < name.length; at++) {
    if ((name[at] === '_' || name[at] === '.') && isToolkit(sql, name.slice(0, at))) return true
  }
  return false
}

function hasDerived(sql: SqlStorage, key: string, name: string): boolean {
  const tool = loadToolName(sql, key)
  if (!tool) return false
  const derivedName = toDerivedName(tool).toLowerCase()
  return [derivedName, appendHash(derivedName, key).toLowerCase()].includes(name.toLowerCase())
}

function pointName(sql: SqlStorage, name: string, key: string): void {
  const isNew = keyOfName(sql, name) === undefined
  sql.exec('INSERT OR REPLACE INTO name VALUES (?, ?)', name.toLowerCase(), key)
  // KV may still map the name to another tool when the next manifest shows it as this tool's
  if (!isNew) queue(sql, kvKey('name', name.toLowerCase()), 'status')
}
