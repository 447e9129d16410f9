/*
 * Changes of toolkits. Call each function in a transaction. A refusal is a result and rolls nothing back, so a function
 * writes nothing before its last possible refusal.
 */
import { type ChangeRefusal, changeConflict, forbidChange, UNKNOWN } from '../../../core/access/change-refusal.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { isAdministrator, type ToolkitChange, type ToolkitMutation } from '../../../core/access/toolkit-owner.ts'
import { changeStatus } from '../../../core/tool/version.ts'
import { readField } from '../../rows.ts'
import { markPagesDirty } from '../catalog/pages.ts'
import { nextRevision, readNumber } from '../tables.ts'
import { findDeletedDenial, findToolkitChangeDenial } from '../toolkit-rights.ts'
import { isBundled, isToolkit, loadSettings, loadToolkit } from '../toolkits.ts'
import { toolKeyRange, transferToolkit, writeSettings } from '../toolkits.ts'
import { fanOut } from './fan-out.ts'
import { statusPriority, storeToolkitStatus } from './version-status.ts'

/** Setting the current values also succeeds. */
type ChangeOutcome = { readonly ok: true } | ChangeRefusal

export function applyToolkitMutation(
  sql: SqlStorage,
  name: string,
  change: ToolkitMutation,
  principal: Principal,
  now: number,
) {
  const outcome =
    change === 'delete'
      ? deleteToolkit(sql, name, principal, now)
      : 'to' in change
        ? transferWholeToolkit(sql, name, change.to)
        : changeToolkit(sql, name, change, principal)
  if (!outcome.ok) return outcome
  const toolkit = loadToolkit(sql, name)
  return toolkit ? ({ ok: true, toolkit, revision: readNumber(sql, 'catalogue') } as const) : UNKNOWN
}

/**
 * Changes a toolkit's settings and, if its tools depend on them, all its tools. Only the Registry reads owner and review, so
 * these need no new revision.
 */
export function changeToolkit(
  sql: SqlStorage,
  toolkit: string,
  change: ToolkitChange,
  principal: Principal,
): ChangeOutcome {
  const { owner, tags, review, description } = change
  const settings = loadSettings(sql, toolkit)
  const isDisabled = settings.status.state === 'disabled'
  const status = change.status && changeStatus(settings.status, change.status, isDisabled)
  const refusal = findChangeRefusal(sql, toolkit, change, principal, settings)
  if (refusal) return refusal
  if (owner !== undefined && !transferToolkit(sql, toolkit, owner)) return refuseTransfer(toolkit)
  if (review !== undefined) writeSettings(sql, toolkit, { review: review ? 1 : 0 })

  const isAdmin = isAdministrator(principal)
  const isHeld = isAdmin && status?.state === 'disabled'
  const isRestored = settings.deleted !== undefined
  const hasNewStatus = status && (isRestored || isHeld !== settings.isHeld || !isEqual(status, settings.status))
  const hasNewTags = tags && !isEqual(tags, settings.tags)
  const hasNewDescription = description !== undefined && (description || undefined) !== settings.description
  // Updating a toolkit's tools blocks other callers, so it is skipped if nothing changes
  if (!hasNewStatus && !hasNewTags && !hasNewDescription) return { ok: true }
  if (hasNewTags) writeSettings(sql, toolkit, { tags: JSON.stringify(tags) })
  if (hasNewDescription) writeSettings(sql, toolkit, { description })
  if (hasNewStatus) {
    const text = status.state === 'active' ? null : JSON.stringify(status)
    writeSettings(sql, toolkit, { status: text, held: isHeld ? 1 : 0, deleted: null })
    storeToolkitStatus(sql, toolkit, status)
  }
  nextRevision(sql)
  markPagesDirty(sql, ...toolKeyRange(toolkit))
  fanOut(sql, toolkit, hasNewStatus ? statusPriority(status, isAdmin) : undefined)
  return { ok: true }
}

function findChangeRefusal(
  sql: SqlStorage,
  toolkit: string,
  change: ToolkitChange,
  principal: Principal,
  { isHeld, isReviewed }: ReturnType<typeof loadSettings>,
): ChangeRefusal | undefined {
  const { status, owner, review } = change
  if (!isToolkit(sql, toolkit)) return UNKNOWN
  const denial = findToolkitChangeDenial(sql, principal, toolkit, change)
  if (denial !== undefined) return forbidChange(denial)
  const isAdmin = isAdministrator(principal)
  if (owner !== undefined && !isAdmin) return forbidChange('Only an administrator can change who owns a toolkit')
  const deleted = findDeletedDenial(sql, toolkit)
  const isRestoration = isAdmin && status !== undefined && owner === undefined
  if (deleted !== undefined && !isRestoration) return changeConflict(deleted)
  if (status && !isAdmin && isHeld)
    return forbidChange(`An administrator disabled the toolkit '${toolkit}': only an administrator can enable it`)
  if (review === false && !isAdmin && isReviewed) return forbidInReviewed(toolkit, 'ends that')
  return undefined
}

/** Also transfers a toolkit that does not exist yet. */
function transferWholeToolkit(sql: SqlStorage, toolkit: string, to: string | null): ChangeOutcome {
  const deleted = findDeletedDenial(sql, toolkit)
  if (deleted !== undefined) return changeConflict(deleted)
  if (!transferToolkit(sql, toolkit, to)) return refuseTransfer(toolkit)
  nextRevision(sql)
  return { ok: true }
}

/** Only administrators can read a deleted toolkit, until it is restored or purged. */
function deleteToolkit(sql: SqlStorage, toolkit: string, principal: Principal, now: number): ChangeOutcome {
  if (!isToolkit(sql, toolkit)) return UNKNOWN
  const denial = findToolkitChangeDenial(sql, principal, toolkit, 'delete')
  if (denial !== undefined) return forbidChange(denial)
  // Otherwise, an owner could end the toolkit's review by deleting it
  const { isReviewed, deleted } = loadSettings(sql, toolkit)
  if (isReviewed && !isAdministrator(principal)) return forbidInReviewed(toolkit, 'deletes it')
  if (deleted) return isAdministrator(principal) ? { ok: true } : UNKNOWN
  if (isBundled(sql, toolkit)) {
    const how = `take its files out of tools/${toolkit} and deploy, or disable it with PATCH /toolkits/${toolkit} and {"status": "disabled"}`
    return changeConflict(`${formatBundled(toolkit)} be deleted: ${how}`)
  }
  const query = `SELECT tool.toolkit || '.' || tool.tool || '@' || version FROM version JOIN tool ON tool.key = version.key
    WHERE version.key >= ? AND version.key < ? AND left_bundle = 0
      AND json_extract(status, '$.state') NOT IN ('disabled', 'pending') LIMIT 1`
  const callable = readField<string>(sql, query, ...toolKeyRange(toolkit))
  if (callable !== undefined) {
    const how = `disable the toolkit first, with PATCH /toolkits/${toolkit} and {"status": "disabled"}`
    return changeConflict(`'${callable}' can still be called: ${how}`)
  }
  nextRevision(sql)
  writeSettings(sql, toolkit, { deleted: now })
  fanOut(sql, toolkit, 'status')
  return { ok: true }
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const forbidInReviewed = (toolkit: string, what: string) =>
  forbidChange(`What is published in the toolkit '${toolkit}' is reviewed: only an administrator ${what}`)

const refuseTransfer = (toolkit: string) =>
  changeConflict(`${formatBundled(toolkit)} be given: give a key that names it ('${toolkit}.*')`)

const formatBundled = (toolkit: string) =>
  `The toolkit '${toolkit}' has bundled tools, so it is the deployment's and cannot`
