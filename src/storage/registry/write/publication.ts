import { parseTrusted } from '../../../core/tool/json-text.ts'
import { hasScope, maySee, type Principal } from '../../../core/access/principal.ts'
import { type PublishedTotals, findQuotaDenial } from '../../../core/publish/publisher-quota.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type { Publication, PublicationFailure } from '../../../core/publish/registry.ts'
import type { PublicationResult, PublicationSuccess } from '../../../core/publish/registry.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { readField } from '../../rows.ts'
import { type DocumentVersion, listDocumentVersions, listRemovedSiblings } from '../document-aliases.ts'
import { storeDocument, textByHash } from '../document-aliases.ts'
import { nextRevision } from '../tables.ts'
import {
  awaitsReview,
  findDeletedDenial,
  findPublishingDenial,
  findToolkitChangeDenial,
  mayChange,
} from '../toolkit-rights.ts'
import { claimToolkit, findClaimant, loadSettings, writeSettings } from '../toolkits.ts'
import { isPending, listToolKeys, nameWarning, NOT_DELETED, recordText, IS_SHOWN_SQL } from '../versions.ts'
import { checkSuccessors } from './check-successors.ts'
import {
  findClaimDenial,
  findDocumentConflict,
  matchesStored,
  findRecordConflict,
  formatVersionConflict,
} from './conflicts.ts'
import { countPublished, publishedBy } from './quota.ts'
import { updateSiblings, storeVersion } from './store-version.ts'

/**
 * Stores a whole publication or nothing. Call in a transaction, so that only one publisher claims a new toolkit. The first
 * check that fails decides:
 *
 * 1. `conflict` if another owner has the document's id; `forbidden` if the principal may not publish in a toolkit
 * 2. `conflict` if a version exists already and differs
 * 3. `unchanged` if every version exists already, as it is published now
 * 4. `definition-invalid` if a new version breaks callers of the previous one, or exceeds the publisher's quota
 *
 * Anyone who may read a bundled tool may publish it again unchanged, despite 1.
 */
export function storePublication(
  sql: SqlStorage,
  publication: Publication,
  { principal, quota }: { readonly principal: Principal; readonly quota: PublishedTotals },
): PublicationResult {
  const { records, document, allowBreaking } = publication
  const refuse = (failure: PublicationFailure) => ({ ok: false, ids: records.map(({ id }) => id), failure }) as const
  const documentVersions = document ? listDocumentVersions(sql, document) : []
  if (publication.requiresReview && !records.every((record) => awaitsReview(sql, principal, record)))
    return refuse({ type: 'forbidden', reason: 'It is published only where it awaits review' })
  const comparison = compareWithStored(sql, publication, documentVersions)
  const denial =
    findClaimDenial(sql, publication, documentVersions, principal) ?? findStoreDenial(sql, records, principal)
  const isHarmlessRepeat = comparison.kind === 'unchanged' && isBundledFor(sql, principal, publication)
  if (denial && !isHarmlessRepeat) return refuse(denial)
  if (comparison.kind === 'conflict') return refuse({ type: 'conflict', message: comparison.message })
  if (comparison.kind === 'unchanged') return describeSuccess(sql, 'unchanged', records)

  const { newRecords } = comparison
  const problems = allowBreaking ? [] : checkSuccessors(sql, publication, newRecords, documentVersions)
  if (problems.length > 0) return refuse({ type: 'definition-invalid', problems })
  const bytes = estimateBytes(sql, publication, newRecords)
  const message = findQuotaDenial(isAdministrator(principal) ? undefined : quota, publishedBy(sql, principal.id), bytes)
  if (message !== undefined) return refuse({ type: 'definition-invalid', problems: [{ path: '', message }] })

  countPublished(sql, principal.id, bytes)
  nextRevision(sql)
  const removedIds = storeNewRecords(sql, publication, newRecords, principal)
  const warnings = newRecords.flatMap((record) => [statusWarning(sql, record) ?? [], nameWarning(sql, record) ?? []])
  const success = describeSuccess(sql, 'created', records, warnings.flat())
  return removedIds.length > 0 ? { ...success, removedIds } : success
}

/** Returns the ids of tools that the document no longer defines. */
function storeNewRecords(
  sql: SqlStorage,
  publication: Publication,
  newRecords: readonly ToolRecord[],
  principal: Principal,
): readonly string[] {
  const { records, document } = publication
  const [first] = records
  // Tools that were removed earlier are not updated again
  const removedBefore = document?.itself && first && listRemovedSiblings(sql, toolKey(first))
  for (const { toolkit } of newRecords) claimToolkit(sql, principal, toolkit)
  if (document) storeDocument(sql, document)
  for (const record of newRecords) storeVersion(sql, record, principal)
  describeToolkit(sql, publication, principal)
  return document?.itself ? updateSiblings(sql, records, removedBefore) : []
}

/**
 * Gives a toolkit the description of its source, but only if the toolkit has none, all its tools are in this publication, and
 * the publisher may change the whole toolkit.
 */
function describeToolkit(sql: SqlStorage, { toolkitDescription, records }: Publication, principal: Principal): void {
  const { toolkit = '' } = records[0] ?? {}
  if (toolkitDescription === undefined || loadSettings(sql, toolkit).description !== undefined) return
  if (!mayChange(sql, principal, { toolkit, tool: '*' })) return
  if (findToolkitChangeDenial(sql, principal, toolkit, { description: toolkitDescription }) !== undefined) return
  const publishedKeys = new Set(records.map(toolKey))
  if (!listToolKeys(sql, toolkit).every((key) => publishedKeys.has(key))) return
  writeSettings(sql, toolkit, { description: toolkitDescription })
}

function findStoreDenial(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  principal: Principal,
): PublicationFailure | undefined {
  for (const record of records) {
    const reason = findPublishingDenial(sql, principal, record)
    if (reason !== undefined) {
      // If another owner's document claims the name, only another name helps, not another key
      const isClaimedByDocument = findClaimant(sql, record.toolkit) !== undefined
      return isClaimedByDocument ? { type: 'conflict', message: reason } : { type: 'forbidden', reason }
    }
    const message = findDeletedDenial(sql, record.toolkit)
    if (message !== undefined) return { type: 'conflict', message }
  }
  return undefined
}

type Comparison =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'new-versions'; readonly newRecords: readonly ToolRecord[] }
  | { readonly kind: 'conflict'; readonly message: string }

function compareWithStored(
  sql: SqlStorage,
  publication: Publication,
  documentVersions: readonly DocumentVersion[],
): Comparison {
  const conflict = findDocumentConflict(sql, publication, documentVersions)
  if (conflict !== undefined) return { kind: 'conflict', message: conflict }
  const newRecords: ToolRecord[] = []
  for (const record of publication.records) {
    const message = findRecordConflict(sql, record, publication)
    if (message !== undefined) return { kind: 'conflict', message }
    const text = recordText(sql, toolKey(record), record.version)
    const storedRecord: ToolRecord | undefined = text === undefined ? undefined : parseTrusted(text)
    if (!storedRecord) newRecords.push(record)
    else if (!matchesStored(sql, storedRecord, record, publication))
      return { kind: 'conflict', message: formatVersionConflict(storedRecord, record) }
  }
  return newRecords.length === 0 ? { kind: 'unchanged' } : { kind: 'new-versions', newRecords }
}

/** Publishing a bundled tool again stores nothing, so anyone who may read the tool may do it. */
function isBundledFor(sql: SqlStorage, principal: Principal, { records, specified }: Publication): boolean {
  if (!hasScope(principal, 'tools:read') || specified.implementation) return false
  const query = `SELECT 1 FROM version JOIN tool ON tool.key = version.key
    WHERE version.key = ? AND version = ? AND bundled = 1 AND ${IS_SHOWN_SQL} AND ${NOT_DELETED}`
  return records.every(
    (record) =>
      maySee(principal, record, 'tools:read') && readField(sql, query, toolKey(record), record.version) !== undefined,
  )
}

function describeSuccess(
  sql: SqlStorage,
  outcome: PublicationSuccess['outcome'],
  records: readonly ToolRecord[],
  otherWarnings: readonly string[] = [],
): PublicationSuccess {
  const pending = records.filter((record) => isPending(sql, toolKey(record), record.version)).map(({ id }) => id)
  const pendingWarnings = pending.map((id) => `'${id}' is pending review: hidden until a reviewer activates it`)
  return {
    ok: true,
    outcome,
    ids: records.map(({ id }) => id),
    ...(pending.length > 0 ? { pending } : {}),
    warnings: [...pendingWarnings, ...otherWarnings].map((message) => ({ path: '', message })),
  }
}

/** Estimates the stored bytes. A document that is already stored does not count. */
function estimateBytes(sql: SqlStorage, { document }: Publication, newRecords: readonly ToolRecord[]): number {
  const text = document && textByHash(sql, document.hash) === undefined ? document.text.length : 0
  return newRecords.reduce((sum, record) => sum + JSON.stringify(record).length, text)
}

function statusWarning(sql: SqlStorage, { id, toolkit }: ToolRecord): string | undefined {
  const { state } = loadSettings(sql, toolkit).status
  return state === 'active' ? undefined : `'${id}' is ${state}, as its toolkit is`
}
