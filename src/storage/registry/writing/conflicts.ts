import { parseTrusted } from '../../../core/tool/json-text.ts'
import { isTrustedWith, type Principal } from '../../../core/access/principal.ts'
import { isAdministrator, toolkitDenial } from '../../../core/access/toolkit-owner.ts'
import type { KeptDocument, Publication } from '../../../core/publish/registry.ts'
import { canonicalJson } from '../../../core/tool/digest.ts'
import { sourceNames } from '../../../core/tool/source-names.ts'
import { formatToolId, joinedName, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { field } from '../../rows.ts'
import { documentOfTool, type DocumentRow, holderOf, keyOfDocument, textByHash } from '../documents.ts'
import { holderOfDerived, isTakenName } from './exposed-names.ts'
import { ownerOf, toolkitNamed } from '../toolkits.ts'
import { keyAlike, nameOf, nameTaken } from '../versions.ts'

const ANOTHER_TOOLKIT = 'give another beside the document: {"definition": …, "toolkit": "…"}'

/** Why a document cannot be published under its id. `published` are the stored versions of that id, in its toolkit. */
export function documentConflict(
  sql: SqlStorage,
  { document, given }: Publication,
  published: readonly DocumentRow[],
  /** Absent where documents are restored, which were judged when they were published. */
  principal?: Principal,
) {
  if (!document?.itself) return undefined
  const { toolkit, dialect } = document
  const { id, version } = document.itself
  const [first] = published
  if (!first) {
    const holder = holderOf(sql, dialect, id)
    const owner = principal && holder && holder.toolkit !== toolkit ? ownerOf(sql, holder.toolkit) : undefined
    if (
      principal &&
      holder &&
      owner &&
      toolkitDenial(principal, { toolkit: holder.toolkit, tool: '*' }, owner) !== undefined
    )
      return `The id '${id}' is that of another publisher's document: give this one an id of its own`
    if (given.toolkit || toolkitNamed(sql, toolkit) === undefined) return undefined
    return `The toolkit '${toolkit}', which is named after the document's id, holds other tools: ${ANOTHER_TOOLKIT}`
  }
  if (first.id !== id) return `'${first.id}' exists: ids of documents are unique ignoring case`
  const same = published.find((row) => row.version === version)
  const text = same && textByHash(sql, same.hash)
  if (text === undefined || text === document.text || isSameJson(text, document.text)) return undefined
  return `The document '${id}' is published already at version ${version}, and a version never changes`
}

export function recordConflict(sql: SqlStorage, record: ToolRecord, publication: Publication, principal: Principal) {
  return toolConflict(sql, record, publication) ?? nameConflict(sql, record, principal) ?? idConflict(sql, record)
}

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
    const { toolkit } = document
    const isOwn = owner?.dialect === document.dialect && owner.key === keyOfDocument({ ...document.itself, toolkit })
    return isOwn ? undefined : `'${formatToolId(name)}' exists, and is of another document: ${ANOTHER_TOOLKIT}`
  }
  if (!owner) return undefined
  return `'${formatToolId(name)}' is of the document '${owner.key.slice(owner.key.indexOf('/') + 1)}' of the dialect '${owner.dialect}': publish a new version of that`
}

/** A publisher could choose toolkit and tool so that they spell the name of another tool of equal trust. */
function nameConflict(sql: SqlStorage, record: ToolRecord, principal: Principal): string | undefined {
  const holder = holderOfDerived(sql, record)
  if (holder === undefined || isAdministrator(principal)) return undefined
  const query =
    'SELECT trusted FROM version JOIN tool ON tool.key = version.key AND version = listed WHERE tool.key = ?'
  if (isTrustedWith(principal, record) && field<number>(sql, query, holder) !== 1) return undefined
  return `${nameTaken(joinedName(record))}: call the tool '${formatToolId(record)}' or its toolkit otherwise, or have an administrator publish it`
}

/** "A unique identifier" (Open Tool Calling RFC, 4.1). */
function idConflict(sql: SqlStorage, record: ToolRecord): string | undefined {
  const { identifier } = sourceNames(record)
  if (identifier === undefined || !isTakenName(sql, record, identifier)) return undefined
  return `The id '${identifier}' is another tool's: give '${formatToolId(record)}' an id of its own, or none`
}

export function versionConflict(stored: ToolRecord, record: ToolRecord): string {
  const message = `'${record.id}' is published already, and a version never changes`
  const isBare = stored.implementation === undefined && record.implementation !== undefined
  const why = isBare ? 'the one that is there has no implementation, so publish it with one' : 'publish it'
  return `${message}: ${why} under a higher version`
}

/** Fields that the publisher left out match anything. */
export function isSame(sql: SqlStorage, stored: ToolRecord, record: ToolRecord, { document, given }: Publication) {
  return (
    stored.source.dialect === record.source.dialect &&
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
  return canonicalJson(parseTrusted(a)) === canonicalJson(parseTrusted(b))
}
