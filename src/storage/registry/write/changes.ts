/*
 * Changes of versions and toolkits. Call each function in a transaction. A refusal is a result and rolls nothing back, so
 * a function writes nothing before its last possible refusal. Only a refused name has raised the revision already, which
 * skips a number and has no other effect.
 */
import type { Principal } from '../../../core/access/principal.ts'
import { isAdministrator, type ToolkitChange, type ToolkitChangeResult } from '../../../core/access/toolkit-owner.ts'
import type { ToolkitMutation } from '../../../core/access/toolkit-owner.ts'
import type { Publication, VersionChange } from '../../../core/publish/registry.ts'
import { toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import { readField } from '../../rows.ts'
import { markPagesDirty } from '../catalog/pages.ts'
import { nextRevision, readNumber } from '../tables.ts'
import { findChangeDenial, findDeletedDenial, transferToolkit, isBundled, isToolkit } from '../toolkits.ts'
import { toolKeyRange, mayChange, loadSettings, loadToolkit, writeSettings } from '../toolkits.ts'
import { fanOut } from './fan-out.ts'
import { statusPriority, storeName, storeStatus, storeToolkitStatus, storeTrust } from './store-version.ts'
import { toolEntryText, isPending, listToolKeys, recordText } from '../versions.ts'

type Refusal = Extract<ToolkitChangeResult, { readonly ok: false }>

/** How a change of a toolkit ends. `unknown` if the principal may not know of the toolkit. */
type ToolkitOutcome = { readonly kind: 'done' | 'unknown' } | { readonly kind: 'refused'; readonly refusal: Refusal }

const DONE = { kind: 'done' } as const
const UNKNOWN = { kind: 'unknown' } as const

const forbidden = (reason: string) => ({ kind: 'refused', refusal: { ok: false, reason } }) as const

const conflict = (reason: string) => ({ kind: 'refused', refusal: { ok: false, reason, isConflict: true } }) as const

/** Undefined if the principal may not know of the version. `keys` are the keys of the changed tools. */
export function changeVersion(
  sql: SqlStorage,
  name: ToolName,
  version: string,
  change: VersionChange,
  principal: Principal,
) {
  const { status, trusted, name: newName } = change
  const key = toolKey(name)
  if (recordText(sql, key, version) === undefined) return undefined
  if (isPending(sql, key, version) && !mayChange(sql, principal, name)) return undefined
  const isAdmin = isAdministrator(principal)
  if ((trusted !== undefined || newName !== undefined) && !isAdmin)
    return forbidden('Only an administrator says which tools are trusted with credentials, and what they are called')
      .refusal
  const denial = findChangeDenial(sql, principal, { name, version, change })
  if (denial !== undefined) return forbidden(denial).refusal
  const deleted = findDeletedDenial(sql, name.toolkit)
  if (deleted !== undefined) return isAdmin ? conflict(deleted).refusal : undefined
  nextRevision(sql)
  if (newName !== undefined && !storeName(sql, key, newName))
    return conflict(`'${newName}' is the derived name of another tool, which keeps it`).refusal
  const siblingKeys = status ? storeStatus(sql, key, version, status, isAdmin) : []
  if (trusted !== undefined) storeTrust(sql, key, version, trusted)
  const document = toolEntryText(sql, key)
  if (document === undefined) return undefined
  return { ok: true, document, keys: [key, ...siblingKeys], revision: readNumber(sql, 'catalogue') } as const
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

type ToolkitSettings = ReturnType<typeof loadSettings>

function findToolkitRefusal(
  sql: SqlStorage,
  toolkit: string,
  change: ToolkitChange,
  principal: Principal,
  settings: ToolkitSettings,
): ToolkitOutcome | undefined {
  const { status, owner, review } = change
  if (!isToolkit(sql, toolkit)) return UNKNOWN
  const isAdmin = isAdministrator(principal)
  const denial = findToolkitChangeDenial(sql, principal, toolkit, change)
  if (denial !== undefined) return forbidden(denial)
  if (owner !== undefined && !isAdmin) return forbidden('Only an administrator can change who owns a toolkit')
  const deleted = findDeletedDenial(sql, toolkit)
  if (deleted !== undefined && (!isAdmin || status === undefined || owner !== undefined)) return conflict(deleted)
  if (status && !isAdmin && settings.isHeld)
    return forbidden(`An administrator disabled the toolkit '${toolkit}': only an administrator enables it`)
  if (review === false && !isAdmin && settings.isReviewed) return forbidden(formatReviewed(toolkit, 'ends that'))
  return undefined
}

/**
 * Changes a toolkit's settings and, if its tools depend on them, all its tools. Only the Registry reads owner and review, so
 * these need no new revision. A change to the present values is `done` too.
 */
export function changeToolkit(
  sql: SqlStorage,
  toolkit: string,
  change: ToolkitChange,
  principal: Principal,
): ToolkitOutcome {
  const { status, owner, tags, review, description } = change
  const settings = loadSettings(sql, toolkit)
  const refusal = findToolkitRefusal(sql, toolkit, change, principal, settings)
  if (refusal) return refusal
  if (owner !== undefined && !transferToolkit(sql, toolkit, owner)) return conflict(formatNotTransferable(toolkit))
  if (review !== undefined) writeSettings(sql, toolkit, { review: review ? 1 : 0 })

  const isAdmin = isAdministrator(principal)
  const isHeld = isAdmin && status?.state === 'disabled'
  const isRestored = settings.deleted !== undefined
  const hasNewStatus = status && (isRestored || isHeld !== settings.isHeld || !isEqual(status, settings.status))
  const hasNewTags = tags && !isEqual(tags, settings.tags)
  const hasNewDescription = description !== undefined && (description || undefined) !== settings.description
  // Other callers wait while the tools of a toolkit are updated, so a change to the present values updates nothing
  if (!hasNewStatus && !hasNewTags && !hasNewDescription) return DONE
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
  return DONE
}

/**
 * Gives a toolkit the description of its source. Only if nobody described the toolkit, all its tools are in this
 * publication, and the publisher may change the whole toolkit.
 */
export function describeByItsSource(sql: SqlStorage, publication: Publication, principal: Principal): void {
  const { toolkitDescription, records } = publication
  const { toolkit = '' } = records[0] ?? {}
  if (toolkitDescription === undefined || loadSettings(sql, toolkit).description !== undefined) return
  if (!mayChange(sql, principal, { toolkit, tool: '*' })) return
  if (findToolkitChangeDenial(sql, principal, toolkit, { description: toolkitDescription }) !== undefined) return
  const publishedKeys = new Set(records.map(toolKey))
  if (!listToolKeys(sql, toolkit).every((key) => publishedKeys.has(key))) return
  writeSettings(sql, toolkit, { description: toolkitDescription })
}

/** Undefined if the principal may not know of the toolkit. */
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
  if (outcome.kind === 'refused') return outcome.refusal
  const toolkit = outcome.kind === 'done' ? loadToolkit(sql, name) : undefined
  return toolkit && ({ ok: true, toolkit, revision: readNumber(sql, 'catalogue') } as const)
}

function transferWholeToolkit(sql: SqlStorage, toolkit: string, to: string | null): ToolkitOutcome {
  const deleted = findDeletedDenial(sql, toolkit)
  if (deleted !== undefined) return conflict(deleted)
  if (!transferToolkit(sql, toolkit, to)) return conflict(formatNotTransferable(toolkit))
  nextRevision(sql)
  return DONE
}

/** Only administrators can read a deleted toolkit, until it is restored or purged. */
function deleteToolkit(sql: SqlStorage, toolkit: string, principal: Principal, now: number): ToolkitOutcome {
  if (!isToolkit(sql, toolkit)) return UNKNOWN
  const denial = findToolkitChangeDenial(sql, principal, toolkit, 'delete')
  if (denial !== undefined) return forbidden(denial)
  // Otherwise an owner could end the review of the toolkit by deleting it
  const { isReviewed, deleted } = loadSettings(sql, toolkit)
  if (isReviewed && !isAdministrator(principal)) return forbidden(formatReviewed(toolkit, 'deletes it'))
  if (deleted) return isAdministrator(principal) ? DONE : UNKNOWN
  if (isBundled(sql, toolkit)) {
    const how = `take its files out of tools/${toolkit} and deploy, or disable it with PATCH /toolkits/${toolkit}`
    return conflict(`${formatBundled(toolkit)} be deleted: ${how}`)
  }
  const query = `SELECT tool.toolkit || '.' || tool.tool || '@' || version FROM version JOIN tool ON tool.key = version.key
    WHERE version.key >= ? AND version.key < ? AND left_bundle = 0
      AND json_extract(status, '$.state') NOT IN ('disabled', 'pending') LIMIT 1`
  const callable = readField<string>(sql, query, ...toolKeyRange(toolkit))
  if (callable !== undefined) {
    const how = `disable the toolkit first, with PATCH /toolkits/${toolkit} and {"status": "disabled"}`
    return conflict(`'${callable}' can still be called: ${how}`)
  }
  nextRevision(sql)
  writeSettings(sql, toolkit, { deleted: now })
  fanOut(sql, toolkit, 'status')
  return DONE
}

function findToolkitChangeDenial(
  sql: SqlStorage,
  principal: Principal,
  toolkit: string,
  change: ToolkitChange | 'delete',
) {
  return findChangeDenial(sql, principal, { name: { toolkit, tool: '*' }, version: '', change })
}

const formatReviewed = (toolkit: string, what: string) =>
  `What is published in the toolkit '${toolkit}' is reviewed: only an administrator ${what}`

const formatNotTransferable = (toolkit: string) =>
  `${formatBundled(toolkit)} be given: give a key that names it ('${toolkit}.*')`

const formatBundled = (toolkit: string) =>
  `The toolkit '${toolkit}' has bundled tools, so it is the deployment's and cannot`
