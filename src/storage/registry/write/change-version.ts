import { changeConflict, forbidChange, UNKNOWN } from '../../../core/access/change-refusal.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type { VersionChange } from '../../../core/publish/registry.ts'
import { toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { nextRevision, readNumber } from '../tables.ts'
import { findDeletedDenial, findVersionChangeDenial, mayChange } from '../toolkit-rights.ts'
import { isPending, recordText, toolEntryText } from '../versions.ts'
import { storeName } from './refresh-tool.ts'
import { storeStatus, storeTrust } from './version-status.ts'

/**
 * Changes a version. Call in a transaction. A refusal is a result and rolls nothing back, so nothing is written before the last
 * possible refusal. Only a refused name has already raised the revision, which skips a number and has no other effect. `keys`
 * are the keys of the changed tools.
 */
export function changeVersion(
  sql: SqlStorage,
  name: ToolName,
  version: string,
  change: VersionChange,
  principal: Principal,
) {
  const { status, trusted, name: newName } = change
  const key = toolKey(name)
  if (recordText(sql, key, version) === undefined) return UNKNOWN
  if (isPending(sql, key, version) && !mayChange(sql, principal, name)) return UNKNOWN
  const isAdmin = isAdministrator(principal)
  const isForAdministrators = trusted !== undefined || newName !== undefined
  if (isForAdministrators && !isAdmin)
    return forbidChange('Only an administrator says which tools are trusted with credentials, and what they are called')
  const denial = findVersionChangeDenial(sql, principal, { name, version, change })
  if (denial !== undefined) return forbidChange(denial)
  const deleted = findDeletedDenial(sql, name.toolkit)
  if (deleted !== undefined) return isAdmin ? changeConflict(deleted) : UNKNOWN
  nextRevision(sql)
  if (newName !== undefined && !storeName(sql, key, newName))
    return changeConflict(`'${newName}' is the derived name of another tool, which keeps it`)
  const siblingKeys = status ? storeStatus(sql, key, version, status, isAdmin) : []
  if (trusted !== undefined) storeTrust(sql, key, version, trusted)
  const document = toolEntryText(sql, key)
  if (document === undefined) return UNKNOWN
  return { ok: true, document, keys: [key, ...siblingKeys], revision: readNumber(sql, 'catalogue') } as const
}
