import { parseTrusted } from '../../../core/tool/json-text.ts'
import { hasScope, maySee, type Principal } from '../../../core/access/principal.ts'
import { type PublishedTotals, quotaDenial } from '../../../core/publish/publisher-quota.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type { KeptDocument, Publication, PublicationOutcome } from '../../../core/publish/registry.ts'
import { checkSuccessor, checkWholeSuccessor } from '../../../core/schema/compatibility.ts'
import type { Problem } from '../../../core/tool/problem.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { compareVersions, isPrerelease } from '../../../core/tool/version.ts'
import { field } from '../../rows.ts'
import { claimDenial, documentConflict, isSame, recordConflict, versionConflict } from './conflicts.ts'
import { calledIn, type DocumentRow, documentRows, leftOutBeside } from '../documents.ts'
import { storeDocument, textByHash } from '../documents.ts'
import { nextRevision } from '../tables.ts'
import { countPublished, publishedBy } from './quota.ts'
import { claimantOf, claimToolkit, deletedDenial, publishDenial, settingsOf } from '../toolkits.ts'
import { leaveOut, storeVersion } from './store-version.ts'
import { describeByItsSource } from './changes.ts'
import { isPending, nameWarning, NOT_DELETED, recordText, SHOWN, versionsOf } from '../versions.ts'

/** Stores all of a publication or nothing: inside a transaction, so that one publisher claims a new toolkit. */
export function store(
  sql: SqlStorage,
  publication: Publication,
  { principal, quota }: { readonly principal: Principal; readonly quota: PublishedTotals },
): PublicationOutcome {
  const { records, document, allowBreaking } = publication
  const ids = records.map(({ id }) => id)
  const published = document ? documentRows(sql, document) : []
  const fresh = documentConflict(sql, publication, published) ?? freshOf(sql, publication)
  const denied = claimDenial(sql, publication, published, principal) ?? denialOf(sql, records, principal)
  if (denied && !(fresh.length === 0 && isBundledFor(sql, principal, publication))) return { ids, ...denied }
  if (typeof fresh === 'string') return { outcome: 'conflict', ids, message: fresh }
  if (fresh.length === 0) return { outcome: 'unchanged', ids, ...pendingOf(sql, records) }
  if (!allowBreaking) {
    const problems = successorProblems(sql, publication, fresh, published)
    if (problems.length > 0) return { outcome: 'refused', ids, problems }
  }
  const bytes = bytesOf(sql, fresh, document)
  const message = quotaDenial(isAdministrator(principal) ? undefined : quota, publishedBy(sql, principal.id), bytes)
  if (message !== undefined) return { outcome: 'refused', ids, problems: [{ path: '', message }] }
  countPublished(sql, principal.id, bytes)
  nextRevision(sql)
  const [first] = records
  const leftOut = document?.itself && first && leftOutBeside(sql, toolKey(first))
  for (const { toolkit } of fresh) claimToolkit(sql, principal, toolkit)
  if (document) storeDocument(sql, document)
  for (const record of fresh) storeVersion(sql, record, principal)
  describeByItsSource(sql, publication, principal)
  const others = document?.itself ? leaveOut(sql, records, leftOut) : []
  const warnings = fresh.flatMap((record) => [statusWarning(sql, record) ?? [], nameWarning(sql, record) ?? []].flat())
  return {
    outcome: 'created',
    ids,
    ...(others.length > 0 ? { leftOut: others } : {}),
    ...pendingOf(sql, records, warnings),
  }
}

function denialOf(sql: SqlStorage, records: readonly ToolRecord[], principal: Principal) {
  for (const record of records) {
    const reason = publishDenial(sql, principal, record)
    if (reason !== undefined) {
      const isId = claimantOf(sql, record.toolkit) !== undefined
      return isId ? ({ outcome: 'conflict', message: reason } as const) : ({ outcome: 'forbidden', reason } as const)
    }
    const message = deletedDenial(sql, record.toolkit)
    if (message !== undefined) return { outcome: 'conflict', message } as const
  }
  return undefined
}

/** Which versions are not stored yet, or the conflict with one that is. */
function freshOf(sql: SqlStorage, publication: Publication): string | readonly ToolRecord[] {
  const fresh: ToolRecord[] = []
  for (const record of publication.records) {
    const conflict = recordConflict(sql, record, publication)
    if (conflict !== undefined) return conflict
    const existing = recordText(sql, toolKey(record), record.version)
    const stored: ToolRecord | undefined = existing === undefined ? undefined : parseTrusted(existing)
    if (!stored) fresh.push(record)
    else if (!isSame(sql, stored, record, publication)) return versionConflict(stored, record)
  }
  return fresh
}

/** Publishing again a tool that comes with the deployment stores nothing, so whoever may read the tool may do it. */
function isBundledFor(sql: SqlStorage, principal: Principal, { records, given }: Publication): boolean {
  if (!hasScope(principal, 'tools:read') || given.implementation) return false
  const query = `SELECT 1 FROM version JOIN tool ON tool.key = version.key
    WHERE version.key = ? AND version = ? AND bundled = 1 AND ${SHOWN} AND ${NOT_DELETED}`
  return records.every(
    (record) =>
      maySee(principal, record, 'tools:read') && field(sql, query, toolKey(record), record.version) !== undefined,
  )
}

function pendingOf(sql: SqlStorage, records: readonly ToolRecord[], others: readonly string[] = []) {
  const pending = records.filter((record) => isPending(sql, toolKey(record), record.version)).map(({ id }) => id)
  const warnings = pending.map((id) => `'${id}' is pending review: hidden until a reviewer activates it`)
  const all = [...warnings, ...others]
  return { ...(pending.length > 0 ? { pending } : {}), ...(all.length > 0 ? { warnings: all } : {}) }
}

/** An estimate. A document that is stored already counts nothing. */
function bytesOf(sql: SqlStorage, records: readonly ToolRecord[], document: KeptDocument | undefined): number {
  const text = document && textByHash(sql, document.hash) === undefined ? document.text.length : 0
  return records.reduce((sum, record) => sum + JSON.stringify(record).length, text)
}

function statusWarning(sql: SqlStorage, { id, toolkit }: ToolRecord): string | undefined {
  const { state } = settingsOf(sql, toolkit).status
  return state === 'active' ? undefined : `'${id}' is ${state}, as its toolkit is`
}

/** Versions are compared with the highest lower release, of a tool's with those that were not withdrawn. */
function successorProblems(
  sql: SqlStorage,
  { records, places, document }: Publication,
  fresh: readonly ToolRecord[],
  published: readonly DocumentRow[],
): readonly Problem[] {
  const ofEach = fresh.flatMap((record) => {
    const key = toolKey(record)
    const standing = versionsOf(sql, key).filter(({ status }) => status.state !== 'yanked')
    const previous = highestBelow(standing, record.version)
    const text = previous && recordText(sql, key, previous.version)
    return text === undefined ? [] : checkSuccessor(parseTrusted(text), record, places?.[records.indexOf(record)])
  })
  const previous = document?.itself && highestBelow(published, document.itself.version)
  // A change of the whole document is one of each of its tools
  const once = [...new Map(ofEach.map((each) => [`${each.path} ${each.message}`, each])).values()]
  if (!previous) return once
  const { dialect, tools } = document
  const { version } = document.itself
  const before = { version: previous.version, tools: calledIn(sql, dialect, previous) }
  return [...checkWholeSuccessor(before, { version, tools: Object.keys(tools) }), ...once]
}

function highestBelow<T extends { readonly version: string }>(versions: readonly T[], below: string): T | undefined {
  return versions
    .filter(({ version }) => !isPrerelease(version) && compareVersions(version, below) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
