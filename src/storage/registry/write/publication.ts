import { parseTrusted } from '../../../core/tool/json-text.ts'
import { hasScope, maySee, type Principal } from '../../../core/access/principal.ts'
import { type PublishedTotals, findQuotaDenial } from '../../../core/publish/publisher-quota.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type {
  DefinitionDocument,
  Publication,
  PublicationFailure,
  PublicationResult,
  PublicationSuccess,
} from '../../../core/publish/registry.ts'
import { checkSuccessor, checkToolSetSuccessor } from '../../../core/schema/compatibility.ts'
import type { Problem } from '../../../core/tool/problem.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { compareVersions, isPrerelease } from '../../../core/tool/version.ts'
import { readField } from '../../rows.ts'
import { findClaimDenial, documentConflict, matchesStored, recordConflict, versionConflict } from './conflicts.ts'
import {
  listDocumentNames,
  type DocumentVersion,
  listDocumentVersions,
  listRemovedSiblings,
} from '../document-aliases.ts'
import { storeDocument, textByHash } from '../document-aliases.ts'
import { nextRevision } from '../tables.ts'
import { countPublished, publishedBy } from './quota.ts'
import { findClaimant, claimToolkit, findDeletedDenial, findPublishingDenial, loadSettings } from '../toolkits.ts'
import { updateSiblings, storeVersion } from './store-version.ts'
import { describeByItsSource } from './changes.ts'
import { isPending, nameWarning, NOT_DELETED, recordText, IS_SHOWN_SQL, listVersions } from '../versions.ts'

/**
 * Stores a whole publication or nothing. Call in a transaction, so that only one publisher claims a new toolkit. The first
 * check that fails decides:
 *
 * 1. `conflict` if another owner has the document's id; `forbidden` if the principal may not publish in a toolkit
 * 2. `conflict` if a version exists already and differs
 * 3. `unchanged` if every version exists already, as it is published now
 * 4. `definition-invalid` if a new version breaks callers of the previous one, or exceeds the publisher's quota
 *
 * Anybody who may read a bundled tool may publish it again unchanged, in spite of 1.
 */
export function storePublication(
  sql: SqlStorage,
  publication: Publication,
  { principal, quota }: { readonly principal: Principal; readonly quota: PublishedTotals },
): PublicationResult {
  const { records, document, allowBreaking } = publication
  const refuse = (failure: PublicationFailure) => ({ ok: false, ids: records.map(({ id }) => id), failure }) as const
  const documentVersions = document ? listDocumentVersions(sql, document) : []
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
  const bytes = estimateBytes(sql, newRecords, document)
  const message = findQuotaDenial(isAdministrator(principal) ? undefined : quota, publishedBy(sql, principal.id), bytes)
  if (message !== undefined) return refuse({ type: 'definition-invalid', problems: [{ path: '', message }] })

  countPublished(sql, principal.id, bytes)
  nextRevision(sql)
  const removedIds = storeNewRecords(sql, publication, newRecords, principal)
  const warnings = newRecords.flatMap((record) => [statusWarning(sql, record) ?? [], nameWarning(sql, record) ?? []])
  const success = describeSuccess(sql, 'created', records, warnings.flat())
  return removedIds.length > 0 ? { ...success, removedIds } : success
}

/** Gives the ids of tools that the document no longer defines. */
function storeNewRecords(
  sql: SqlStorage,
  publication: Publication,
  newRecords: readonly ToolRecord[],
  principal: Principal,
): readonly string[] {
  const { records, document } = publication
  const [first] = records
  // Read before `storeDocument` and `storeVersion` overwrite it
  const removedBefore = document?.itself && first && listRemovedSiblings(sql, toolKey(first))
  for (const { toolkit } of newRecords) claimToolkit(sql, principal, toolkit)
  if (document) storeDocument(sql, document)
  for (const record of newRecords) storeVersion(sql, record, principal)
  describeByItsSource(sql, publication, principal)
  return document?.itself ? updateSiblings(sql, records, removedBefore) : []
}

function findStoreDenial(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  principal: Principal,
): PublicationFailure | undefined {
  for (const record of records) {
    const reason = findPublishingDenial(sql, principal, record)
    if (reason !== undefined) {
      // The name is free as a toolkit, and the id of another owner's document: another name helps, another key does not
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
  const conflict = documentConflict(sql, publication, documentVersions)
  if (conflict !== undefined) return { kind: 'conflict', message: conflict }
  const newRecords: ToolRecord[] = []
  for (const record of publication.records) {
    const message = recordConflict(sql, record, publication)
    if (message !== undefined) return { kind: 'conflict', message }
    const text = recordText(sql, toolKey(record), record.version)
    const stored: ToolRecord | undefined = text === undefined ? undefined : parseTrusted(text)
    if (!stored) newRecords.push(record)
    else if (!matchesStored(sql, stored, record, publication))
      return { kind: 'conflict', message: versionConflict(stored, record) }
  }
  return newRecords.length === 0 ? { kind: 'unchanged' } : { kind: 'new-versions', newRecords }
}

/** Publishing a bundled tool again stores nothing, so everybody who may read the tool may do it. */
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

/** Estimates the stored bytes. A document that is stored already counts nothing. */
function estimateBytes(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  document: DefinitionDocument | undefined,
): number {
  const text = document && textByHash(sql, document.hash) === undefined ? document.text.length : 0
  return records.reduce((sum, record) => sum + JSON.stringify(record).length, text)
}

function statusWarning(sql: SqlStorage, { id, toolkit }: ToolRecord): string | undefined {
  const { state } = loadSettings(sql, toolkit).status
  return state === 'active' ? undefined : `'${id}' is ${state}, as its toolkit is`
}

/** Compares each version with the highest lower release. Yanked versions of tools do not count. */
function checkSuccessors(
  sql: SqlStorage,
  { records, schemaPaths, document }: Publication,
  newRecords: readonly ToolRecord[],
  documentVersions: readonly DocumentVersion[],
): readonly Problem[] {
  const problems = newRecords.flatMap((record) => {
    const key = toolKey(record)
    const notYanked = listVersions(sql, key).filter(({ status }) => status.state !== 'yanked')
    const previous = highestBelow(notYanked, record.version)
    const text = previous && recordText(sql, key, previous.version)
    return text === undefined ? [] : checkSuccessor(parseTrusted(text), record, schemaPaths?.[records.indexOf(record)])
  })
  const previous = document?.itself && highestBelow(documentVersions, document.itself.version)
  // A change of the whole document appears as one in each of its tools
  const distinctProblems = [...new Map(problems.map((each) => [`${each.path} ${each.message}`, each])).values()]
  if (!previous) return distinctProblems
  const { dialect, tools } = document
  const { version } = document.itself
  const before = { version: previous.version, tools: listDocumentNames(sql, dialect, previous) }
  return [...checkToolSetSuccessor(before, { version, tools: Object.keys(tools) }), ...distinctProblems]
}

function highestBelow<T extends { readonly version: string }>(versions: readonly T[], below: string): T | undefined {
  return versions
    .filter(({ version }) => !isPrerelease(version) && compareVersions(version, below) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
