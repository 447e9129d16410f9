import { parseTrusted } from '../../../core/tool/json-text.ts'
import { covers, type Principal } from '../../../core/access/principal.ts'
import { findOwnerDenial } from '../../../core/access/toolkit-owner.ts'
import type { DefinitionDocument, Publication, PublicationFailure } from '../../../core/publish/registry.ts'
import { canonicalJson } from '../../../core/tool/digest.ts'
import { sourceNames } from '../../../core/tool/source-names.ts'
import { sanitizeName } from '../../../core/tool/sanitize-name.ts'
import { formatToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { findDocumentOfTool, type DocumentVersion, textByHash } from '../document-aliases.ts'
import { isTakenName } from './exposed-names.ts'
import { isBundled, findOwner, findToolkitSpelling } from '../toolkits.ts'
import { findSimilarKey, loadToolName } from '../versions.ts'

const ANOTHER_TOOLKIT = 'give another beside the document: {"definition": …, "toolkit": "…"}'

/** Returns why a publisher may not use a document's id, which belongs to the owner of its first document's toolkit. */
export function findClaimDenial(
  sql: SqlStorage,
  { records, document }: Publication,
  storedVersions: readonly DocumentVersion[],
  principal: Principal,
): PublicationFailure | undefined {
  if (!document?.itself) return undefined
  const { id } = document.itself
  const claimedName = { toolkit: sanitizeName(id), tool: '*' }
  const holder = storedVersions[0]?.toolkit ?? claimedName.toolkit
  const isInItsToolkit = isSameName(holder, document.toolkit)
  // An id claims the toolkit name that it spells. The reason does not reveal whether the id is taken
  if (!isInItsToolkit && !covers(principal, claimedName, 'tools:publish')) {
    const reason = `The id '${id}' is claimed as a toolkit is, and the credential does not cover '${formatToolId(claimedName)}': give the document an id that it covers`
    return { type: 'forbidden', reason }
  }
  const owner = findOwner(sql, holder)
  const names = isInItsToolkit ? records : [{ toolkit: holder, tool: '*' }]
  if (names.every((name) => findOwnerDenial(principal, name, owner) === undefined)) return undefined
  const message = `The id '${id}' is taken, as a document's or a toolkit's: give the document an id of its own`
  return { type: 'conflict', message }
}

/** Returns why a document cannot be published under its id. `storedVersions` are those with that id. */
export function findDocumentConflict(
  sql: SqlStorage,
  { document, specified }: Pick<Publication, 'document' | 'specified'>,
  storedVersions: readonly DocumentVersion[],
): string | undefined {
  if (!document?.itself) return undefined
  const { toolkit } = document
  const { id, version } = document.itself
  const [first] = storedVersions
  if (!first) {
    if (specified.toolkit || findToolkitSpelling(sql, toolkit) === undefined) return undefined
    return `The toolkit '${toolkit}', which is named after the document's id, holds other tools: ${ANOTHER_TOOLKIT}`
  }
  if (first.id !== id) return `'${first.id}' exists: ids of documents are unique ignoring case`
  const sameVersion = storedVersions.find((row) => row.version === version)
  // A document with a bundled document's id is refused, unless its publisher names the toolkit
  if (!isSameName(first.toolkit, toolkit) || (!sameVersion && !specified.toolkit && isBundled(sql, toolkit)))
    return `The id '${id}' is that of a document in the toolkit '${first.toolkit}': give this one an id of its own, or publish it as a version of that with {"definition": …, "toolkit": "${first.toolkit}"}`
  const text = sameVersion && textByHash(sql, sameVersion.hash)
  if (text === undefined || text === document.text || isSameJson(text, document.text)) return undefined
  return `The document '${id}' is published already at version ${version}, and a version never changes`
}

export function findRecordConflict(sql: SqlStorage, record: ToolRecord, publication: Publication): string | undefined {
  return findToolConflict(sql, record, publication) ?? findIdConflict(sql, record)
}

function findToolConflict(
  sql: SqlStorage,
  record: ToolRecord,
  { document, specified }: Publication,
): string | undefined {
  const key = toolKey(record)
  const name = loadToolName(sql, key)
  const similarName = name ? undefined : loadToolName(sql, findSimilarKey(sql, key) ?? '')
  if (similarName) return `'${formatToolId(similarName)}' exists, which is written with '_' where a name has no '-'`
  if (!name) return undefined
  const advice = document?.itself && !specified.toolkit ? `; ${ANOTHER_TOOLKIT}` : ''
  if (formatToolId(name) !== formatToolId(record)) {
    return `'${formatToolId(name)}' exists: ids are unique ignoring case${advice}`
  }
  const owner = findDocumentOfTool(sql, key)
  if (document?.itself) {
    const isOwn = owner?.dialect === document.dialect && owner.key === document.itself.id.toLowerCase()
    return isOwn ? undefined : `'${formatToolId(name)}' exists, and is of another document: ${ANOTHER_TOOLKIT}`
  }
  if (!owner) return undefined
  return `'${formatToolId(name)}' is of the document '${owner.key}' of the dialect '${owner.dialect}': publish a new version of that`
}

/** "A unique identifier" (Open Tool Calling RFC, 4.1). */
function findIdConflict(sql: SqlStorage, record: ToolRecord): string | undefined {
  const { identifier } = sourceNames(record)
  if (identifier === undefined || !isTakenName(sql, record, identifier)) return undefined
  return `The id '${identifier}' is another tool's: give '${formatToolId(record)}' an id of its own, or none`
}

export function formatVersionConflict(stored: ToolRecord, record: ToolRecord): string {
  const message = `'${record.id}' is published already, and a version never changes`
  const isBare = stored.implementation === undefined && record.implementation !== undefined
  const why = isBare ? 'the one that is there has no implementation, so publish it with one' : 'publish it'
  return `${message}: ${why} under a higher version`
}

/** Whether a stored version equals a submitted one. A field that the publisher omitted matches anything. */
export function matchesStored(
  sql: SqlStorage,
  stored: ToolRecord,
  record: ToolRecord,
  { document, specified }: Publication,
) {
  if (stored.source.dialect !== record.source.dialect) return false
  // A document with an id was compared by `findDocumentConflict`
  if (!document?.itself && !isSameSource(sql, stored, record, document)) return false
  // `implementations` may name only other tools
  const hasImplementation = specified.implementation && record.implementation !== undefined
  if (hasImplementation && !isEqual(stored.implementation ?? null, record.implementation)) return false
  if (specified.tags && !isEqual(stored.tags, record.tags)) return false
  const isSameGuard =
    stored.securityLevel === record.securityLevel && stored.requiresApproval === record.requiresApproval
  return !specified.guard || isSameGuard
}

function isSameSource(
  sql: SqlStorage,
  { source: stored }: ToolRecord,
  { source }: ToolRecord,
  document: DefinitionDocument | undefined,
): boolean {
  if (stored.hash !== undefined && stored.hash === source.hash) return true
  const before = stored.hash === undefined ? JSON.stringify(stored.document ?? null) : textByHash(sql, stored.hash)
  const now = source.hash === undefined ? JSON.stringify(source.document ?? null) : document?.text
  return before !== undefined && now !== undefined && isSameJson(before, now)
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

function isSameJson(a: string, b: string): boolean {
  return isEqual(parseTrusted(a), parseTrusted(b))
}
