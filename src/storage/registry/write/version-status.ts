import { parseTrusted } from '../../../core/tool/json-text.ts'
import { changeStatus, stricterStatus, type ToolStatus } from '../../../core/tool/version.ts'
import type { OutboxPriority } from '../../kv-outbox.ts'
import { column, readField } from '../../rows.ts'
import { listRemovedSiblings } from '../document-aliases.ts'
import { loadSettings, toolKeyRange } from '../toolkits.ts'
import { loadToolName } from '../versions.ts'
import { queueVersions, requeueTool } from './refresh-tool.ts'

/** Stores a status. Only an administrator can enable what an administrator disabled. Returns keys of other changed tools. */
export function storeStatus(
  sql: SqlStorage,
  key: string,
  version: string,
  change: ToolStatus,
  byAdministrator: boolean,
): readonly string[] {
  const readStatus = (columnName: string): ToolStatus =>
    parseTrusted(
      readField<string>(sql, `SELECT ${columnName} FROM version WHERE key = ? AND version = ?`, key, version) ?? '',
    )
  const isAlreadyDisabled = readStatus('status').state === 'disabled'
  const status = changeStatus(readStatus('coalesce(own, status)'), change, isAlreadyDisabled)
  const removedBefore = listRemovedSiblings(sql, key)
  const toolkitStatus = loadSettings(sql, loadToolName(sql, key)?.toolkit ?? '').status
  const isDisabled = status.state === 'disabled'
  sql.exec(
    // A disabled version still awaits review, or its publisher could enable it
    `UPDATE version SET status = ?, own = ?, left_bundle = 0, held = ?, unreviewed = unreviewed AND ?
     WHERE key = ? AND version = ?`,
    ...toStatusColumns(status, toolkitStatus),
    byAdministrator && isDisabled ? 1 : 0,
    isDisabled ? 1 : 0,
    key,
    version,
  )
  // Another version of the document may now be the newest, and define other tools
  const removedSiblings = listRemovedSiblings(sql, key)
  const isChangedSibling = (sibling: string) =>
    sibling !== key && removedBefore.has(sibling) !== removedSiblings.has(sibling)
  const siblingKeys = [...removedBefore, ...removedSiblings].filter(isChangedSibling)
  for (const changedKey of [key, ...siblingKeys]) requeueTool(sql, changedKey, statusPriority(status, byAdministrator))
  return siblingKeys
}

/** A tool that an administrator makes inactive is written to KV before everything else. */
export function statusPriority({ state }: ToolStatus, byAdministrator: boolean): OutboxPriority {
  return byAdministrator && state !== 'active' ? 'revocation' : 'status'
}

/** `status` is the stricter of both. `own` is the version's if the toolkit's is stricter, else null. */
export function toStatusColumns(ownStatus: ToolStatus, toolkit: ToolStatus): [status: string, own: string | null] {
  const status = stricterStatus(ownStatus, toolkit)
  return [JSON.stringify(status), status === ownStatus ? null : JSON.stringify(ownStatus)]
}

export function storeToolkitStatus(sql: SqlStorage, toolkit: string, status: ToolStatus): void {
  const range = toolKeyRange(toolkit)
  const statuses = 'SELECT DISTINCT coalesce(own, status) FROM version WHERE key >= ? AND key < ?'
  const update = 'UPDATE version SET status = ?, own = ? WHERE key >= ? AND key < ? AND coalesce(own, status) = ?'
  for (const ownStatus of column<string>(sql, statuses, ...range))
    sql.exec(update, ...toStatusColumns(parseTrusted(ownStatus), status), ...range, ownStatus)
}

export function storeTrust(sql: SqlStorage, key: string, version: string, trusted: boolean): void {
  sql.exec('UPDATE version SET trusted = ? WHERE key = ? AND version = ?', trusted ? 1 : 0, key, version)
  queueVersions(sql, key, trusted ? 'status' : 'revocation')
}
