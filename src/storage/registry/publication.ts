import { canonicalJson } from '../../core/tool/digest.ts'
import type { KeptDocument, Publication, Published } from '../../core/publish/registry.ts'
import { isTrustedWith, type Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit.ts'
import { joinedName } from '../../core/tool/name-suffix.ts'
import { checkSuccessor, checkWholeSuccessor } from '../../core/schema/change.ts'
import { type Published as Quota, quotaDenial } from '../../core/access/quota.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { formatToolId, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { compareVersions, isPrerelease } from '../../core/tool/version.ts'
import { field } from '../rows.ts'
import {
  calledIn,
  documentOfTool,
  type DocumentRow,
  documentRows,
  documentsOf,
  documentText,
  isLeftOut,
  storeDocument,
  textByHash,
  toolsBeside,
} from './documents.ts'
import { countPublished, publishedBy } from './quota.ts'
import { claimToolkit, deletedDenial, ownsToolkit, publishDenial, statusOfToolkit } from './toolkits.ts'
import { holderOfDerived } from './names.ts'
import {
  holdsToolkit,
  isPending,
  keyAlike,
  nameOf,
  nameWarning,
  recordText,
  statusChanged,
  toolkitNamed,
  storeVersion,
  versionsOf,
} from './versions.ts'

/**
 * Stores all of a publication's records and its document, or nothing, inside a transaction: so of two who are the first to
 * publish in a toolkit, one is. `revision` is called when there is something to store.
 */
export function store(
  sql: SqlStorage,
  publication: Publication,
  { principal, quota }: { readonly principal: Principal; readonly quota: Quota },
  revision: () => number,
): Published {
  const { records, document, allowBreaking, standings } = publication
  const ids = records.map(({ id }) => id)
  if (standings && !isAdministrator(principal)) return { outcome: 'forbidden', ids, reason: RESTORES }
  for (const record of records) {
    const reason = publishDenial(sql, principal, record)
    if (reason !== undefined) return { outcome: 'forbidden', ids, reason }
    const deleted = deletedDenial(sql, record.toolkit)
    if (deleted !== undefined) return { outcome: 'conflict', ids, message: deleted }
  }
  const published = document ? documentRows(sql, document.dialect, document.itself?.id ?? '') : []
  const taken = documentConflict(sql, publication, published, principal)
  if (taken !== undefined) return { outcome: 'conflict', ids, message: taken }
  const stray = standings && strayTool(sql, document, records)
  if (stray !== undefined) return { outcome: 'conflict', ids, message: stray }
  const fresh: ToolRecord[] = []
  for (const record of records) {
    const conflict =
      toolConflict(sql, record, publication) ??
      nameConflict(sql, record, principal) ??
      // Where it comes from the two stood beside each other
      (standings ? undefined : toolkitConflict(sql, record, principal))
    if (conflict !== undefined) return { outcome: 'conflict', ids, message: conflict }
    const existing = recordText(sql, toolKey(record), record.version)
    if (existing === undefined) fresh.push(record)
    else if (!isSame(sql, JSON.parse(existing), record, publication)) {
      return { outcome: 'conflict', ids, message: `'${record.id}' is published already, and a version never changes` }
    }
  }
  if (fresh.length === 0) return { outcome: 'unchanged', ids, ...pendingOf(sql, records) }
  if (!allowBreaking) {
    const problems = [
      ...(document ? wholeProblems(sql, document, published) : []),
      ...fresh.flatMap((record) => {
        const previous = previousOf(sql, record)
        return previous ? checkSuccessor(previous, record) : []
      }),
    ]
    if (problems.length > 0) return { outcome: 'refused', ids, problems }
  }
  const bytes = bytesOf(sql, fresh, document)
  const message = quotaDenial(isAdministrator(principal) ? undefined : quota, publishedBy(sql, principal.id), bytes)
  if (message !== undefined) return { outcome: 'refused', ids, problems: [{ path: '', message }] }
  // What is restored counts for whoever published it
  const publisher = standings ? standings[0]?.publisher.principal : principal.id
  if (publisher) countPublished(sql, publisher, bytes)
  const at = revision()
  if (document) storeDocument(sql, document, at)
  for (const record of fresh) {
    claimToolkit(sql, principal, record.toolkit)
    storeVersion(sql, record, principal, at, standings?.[records.indexOf(record)])
  }
  const others = document?.itself ? leaveOut(sql, records, at) : []
  const { pending, warnings: unlisted = [] } = pendingOf(sql, records)
  const own = fresh.flatMap((record) => [...statusWarning(sql, record), nameWarning(sql, record) ?? []].flat())
  const warnings = [...unlisted, ...own]
  return {
    outcome: 'created',
    ids,
    ...(others.length > 0 ? { leftOut: others } : {}),
    ...(pending ? { pending } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** Which of these versions are pending, and what their publisher should know of that. */
function pendingOf(sql: SqlStorage, records: readonly ToolRecord[]): Pick<Created, 'pending' | 'warnings'> {
  const pending = records.filter((record) => isPending(sql, toolKey(record), record.version)).map(({ id }) => id)
  if (pending.length === 0) return {}
  const warnings = pending.map(
    (id) => `'${id}' is pending: it is neither listed nor called until a reviewer says that it is active`,
  )
  return { pending, warnings }
}

/** About the bytes that are kept of a publication: its records, and its document unless that is there already. */
function bytesOf(sql: SqlStorage, records: readonly ToolRecord[], document: KeptDocument | undefined): number {
  const text = document && textByHash(sql, document.hash) === undefined ? document.text.length : 0
  return records.reduce((sum, record) => sum + JSON.stringify(record).length, text)
}

/** Has KV and the catalogue follow for tools that other versions of a document define. Gives the names of those left out. */
export function leaveOut(sql: SqlStorage, records: readonly ToolRecord[], revision: number): string[] {
  const [first] = records
  const stored = new Set(records.map(toolKey))
  const others = first ? toolsBeside(sql, toolKey(first)).filter((key) => !stored.has(key)) : []
  for (const key of others) statusChanged(sql, key, revision)
  return others
    .filter((key) => isLeftOut(sql, key))
    .flatMap((key) => nameOf(sql, key) ?? [])
    .map((name) => formatToolId(name))
}

/** A version begins with what is said of its toolkit. */
function statusWarning(sql: SqlStorage, { id, toolkit }: ToolRecord): string[] {
  const { state } = statusOfToolkit(sql, toolkit)
  return state === 'active' ? [] : [`'${id}' is ${state}, as its toolkit is`]
}

type Created = Extract<Published, { outcome: 'created' | 'unchanged' }>

const RESTORES = 'Only an administrator restores what was published elsewhere'
const ANOTHER_TOOLKIT = 'give another beside the document: {"definition": …, "toolkit": "…"}'

/** Why a document with an id of its own cannot be what it says. `published` are the versions of its id. */
function documentConflict(
  sql: SqlStorage,
  { document, given, isIdOfOthers }: Publication,
  published: readonly DocumentRow[],
  principal: Principal,
): string | undefined {
  if (!document?.itself) return undefined
  const { dialect, toolkit } = document
  const { id, version } = document.itself
  const [first] = published
  if (!first) {
    // The id is an address before a toolkit's name is: nobody's tools may be stood in front of, in whichever case
    const namesake = toolkitNamed(sql, id)
    const isOthers = isIdOfOthers || publishDenial(sql, principal, { toolkit: id, tool: '*' }) !== undefined
    if (namesake !== undefined && ((id !== toolkit && holdsToolkit(sql, id)) || isOthers)) {
      const named = namesake === id ? '' : `, '${namesake}'`
      return `'${id}' is the name of another toolkit${named}: give the document an id of its own`
    }
    if (given.toolkit || toolkitNamed(sql, toolkit) === undefined) return undefined
    return `The toolkit '${toolkit}', which is named after the document's id, holds other tools: ${ANOTHER_TOOLKIT}`
  }
  if (first.id !== id) return `'${first.id}' exists: ids of documents are unique ignoring case`
  if (first.toolkit !== toolkit) {
    return `The document '${id}' is published in another toolkit, and its id is unique: give it an id of its own`
  }
  const same = published.find((row) => row.version === version)
  const text = same && documentText(sql, dialect, same)
  if (text === undefined || text === document.text || isSameJson(text, document.text)) return undefined
  return `The document '${id}' is published already at version ${version}, and a version never changes`
}

/** Why a restored document cannot say which tools it has: one that does not come with it is here, and of no such document. */
function strayTool(
  sql: SqlStorage,
  document: KeptDocument | undefined,
  records: readonly ToolRecord[],
): string | undefined {
  if (!document?.itself) return undefined
  const { dialect, itself, toolkit, tools } = document
  const own = new Set(records.map(toolKey))
  for (const tool of Object.values(tools)) {
    const key = toolKey({ toolkit, tool })
    if (own.has(key) || !nameOf(sql, key)) continue
    const owner = documentOfTool(sql, key)
    if (owner?.dialect === dialect && owner.key === itself.id.toLowerCase()) continue
    return `'${formatToolId({ toolkit, tool })}' exists, and is not of the document '${itself.id}'`
  }
  return undefined
}

/** Why a tool cannot be published under its name. */
function toolConflict(sql: SqlStorage, record: ToolRecord, { document, given }: Publication): string | undefined {
  const key = toolKey(record)
  const name = nameOf(sql, key)
  const alike = name ? undefined : nameOf(sql, keyAlike(sql, key) ?? '')
  if (alike) return `'${formatToolId(alike)}' exists, which is written with '_' where a name has no '-'`
  if (!name) return undefined
  const advice = document?.itself && !given.toolkit ? `; ${ANOTHER_TOOLKIT}` : ''
  if (formatToolId(name) !== formatToolId(record)) {
    return `'${formatToolId(name)}' exists: ids are unique ignoring case${advice}`
  }
  const owner = documentOfTool(sql, key)
  if (document?.itself) {
    const isOwn = owner?.dialect === document.dialect && owner.key === document.itself.id.toLowerCase()
    return isOwn ? undefined : `'${formatToolId(name)}' exists, and is of another document: ${ANOTHER_TOOLKIT}`
  }
  if (!owner) return undefined
  return `'${formatToolId(name)}' is of the document '${owner.key}' of the dialect '${owner.dialect}': publish a new version of that`
}

/**
 * Why a new tool cannot have its derived name: another declares it, of somebody as trusted. Else whoever may publish
 * anything could name a toolkit and a tool so that together they are what callers know another's tool by.
 */
function nameConflict(sql: SqlStorage, record: ToolRecord, principal: Principal): string | undefined {
  const holder = holderOfDerived(sql, record)
  if (holder === undefined || isAdministrator(principal)) return undefined
  const query =
    'SELECT trusted FROM version JOIN tool ON tool.key = version.key AND version = listed WHERE tool.key = ?'
  if (isTrustedWith(principal, record) && field<number>(sql, query, holder) !== 1) return undefined
  return `'${joinedName(record)}', which '${formatToolId(record)}' is called where tools have names alone, is another tool's name: call the tool or its toolkit otherwise, or have an administrator publish it`
}

/**
 * Why a new toolkit cannot have its name: it is the id of a document of somebody else's toolkit, which whoever calls it in
 * that document's dialect reaches first.
 */
function toolkitConflict(sql: SqlStorage, { toolkit }: ToolRecord, principal: Principal): string | undefined {
  if (toolkitNamed(sql, toolkit) !== undefined) return undefined
  const other = documentsOf(sql, toolkit).find((row) => row.toolkit.toLowerCase() !== toolkit.toLowerCase())
  if (!other || ownsToolkit(sql, principal, other.toolkit)) return undefined
  return `'${toolkit}' is the id of a document of the toolkit '${other.toolkit}', which is somebody else's: call the toolkit otherwise, or have an administrator take that one with PUT /toolkits/${other.toolkit} and {"owner": null}, and publish this`
}

/** Whether a record says what is stored, where what the publisher left out is taken as it stands. */
function isSame(
  sql: SqlStorage,
  stored: ToolRecord,
  record: ToolRecord,
  { document, given, standings }: Publication,
): boolean {
  return (
    (!standings || stored.digest === record.digest) &&
    stored.source.dialect === record.source.dialect &&
    // A document with an id was compared as a whole
    (document?.itself !== undefined || isSameSource(sql, stored, record, document)) &&
    (!given.implementation ||
      record.implementation === undefined ||
      canonicalJson(stored.implementation ?? null) === canonicalJson(record.implementation)) &&
    (!given.tags || canonicalJson(stored.tags) === canonicalJson(record.tags)) &&
    (!given.guard ||
      (stored.securityLevel === record.securityLevel && stored.requiresApproval === record.requiresApproval))
  )
}

function isSameSource(
  sql: SqlStorage,
  { source: stored }: ToolRecord,
  { source }: ToolRecord,
  document: KeptDocument | undefined,
): boolean {
  if (stored.hash !== undefined && stored.hash === source.hash) return true
  const before = stored.hash === undefined ? JSON.stringify(stored.document ?? null) : textByHash(sql, stored.hash)
  const now = source.hash === undefined ? JSON.stringify(source.document ?? null) : document?.text
  return before !== undefined && now !== undefined && isSameJson(before, now)
}

function isSameJson(a: string, b: string): boolean {
  return canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b))
}

/** What is wrong with a document's version beside the one before it. */
function wholeProblems(
  sql: SqlStorage,
  { dialect, itself, tools }: KeptDocument,
  published: readonly DocumentRow[],
): readonly Problem[] {
  const previous = itself && highestBelow(published, itself.version)
  if (!previous) return []
  const before = { version: previous.version, tools: calledIn(sql, dialect, previous) }
  return checkWholeSuccessor(before, { version: itself.version, tools: Object.keys(tools) })
}

/** The highest release below a record's version that was not withdrawn: what its version is measured against. */
function previousOf(sql: SqlStorage, record: ToolRecord): ToolRecord | undefined {
  const key = toolKey(record)
  const standing = versionsOf(sql, key).filter(({ status }) => status.state !== 'yanked')
  const lower = highestBelow(standing, record.version)
  const text = lower && recordText(sql, key, lower.version)
  return text === undefined ? undefined : JSON.parse(text)
}

function highestBelow<T extends { readonly version: string }>(versions: readonly T[], below: string): T | undefined {
  return versions
    .filter(({ version }) => !isPrerelease(version) && compareVersions(version, below) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
}
