import type { Principal } from '../../../core/access/principal.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type { VersionChange } from '../../../core/publish/registry.ts'
import { toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { toolsBeside } from '../documents.ts'
import { storeName, storeStatus, storeTrust } from './store-version.ts'
import { nextRevision, readNumber } from '../tables.ts'
import { conflict, forbidden } from './toolkit-change.ts'
import { changeDenial, deletedDenial, mayChange } from '../toolkits.ts'
import { documentText, isPending, recordText } from '../versions.ts'

/** Inside a transaction. Undefined for a version that the principal does not know of; `keys` are the affected tools. */
export function changeVersion(
  sql: SqlStorage,
  name: ToolName,
  version: string,
  { status, trusted, name: given }: VersionChange,
  principal: Principal,
) {
  const key = toolKey(name)
  if (recordText(sql, key, version) === undefined) return undefined
  if (isPending(sql, key, version) && !mayChange(sql, principal, name)) return undefined
  const isAdmin = isAdministrator(principal)
  if ((trusted !== undefined || given !== undefined) && !isAdmin) {
    return forbidden('Only an administrator says which tools are trusted with credentials, and what they are called')
  }
  const denied = changeDenial(sql, principal, name, version)
  if (denied !== undefined) return forbidden(denied)
  const deleted = deletedDenial(sql, name.toolkit)
  if (deleted !== undefined) return isAdmin ? conflict(deleted) : undefined
  nextRevision(sql)
  if (given !== undefined && !storeName(sql, key, given)) {
    return conflict(`'${given}' is the name of another tool by its toolkit's, which nobody else has`)
  }
  if (status) storeStatus(sql, key, version, status, isAdmin)
  if (trusted !== undefined) storeTrust(sql, key, version, trusted)
  const document = documentText(sql, key)
  if (document === undefined) return undefined
  return { ok: true, document, keys: [key, ...toolsBeside(sql, key)], revision: readNumber(sql, 'catalogue') } as const
}
