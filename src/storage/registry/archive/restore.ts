import { MAX_POLICIES, type Policy } from '../../../core/access/policy.ts'
import { MAX_LOCKS } from '../../../core/access/tool-lock.ts'
import { MAX_TOOLSETS, type Toolset } from '../../../core/access/toolset.ts'
import { formatRefusal } from '../../../core/access/change-refusal.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import type { ArchiveRow, RowOutcome } from '../../../core/publish/archive/archive-rows.ts'
import type { DefinitionDocument } from '../../../core/publish/registry.ts'
import { canonicalJson } from '../../../core/tool/digest.ts'
import { sanitizeName } from '../../../core/tool/sanitize-name.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import { readField, firstRow } from '../../rows.ts'
import { holdsBlob } from '../blobs.ts'
import { findDocumentConflict } from '../write/conflicts.ts'
import { listDocumentVersions, storeDocument, textByHash } from '../document-aliases.ts'
import { keyOfName } from '../write/exposed-names.ts'
import { findPolicy, storePolicy } from '../policies.ts'
import { countPublished } from '../write/quota.ts'
import { storeName } from '../write/refresh-tool.ts'
import { storeVersion, updateSiblings } from '../write/store-version.ts'
import { storeStatus } from '../write/version-status.ts'
import { insertSkill } from '../skills.ts'
import { nextRevision } from '../tables.ts'
import { toolsetText } from '../toolsets.ts'
import { storeLock, storeToolset } from '../write/change-toolset.ts'
import { changeToolkit } from '../write/change-toolkit.ts'
import { findDeletedDenial } from '../toolkit-rights.ts'
import { isBundled, findOwner, restoreOwner, loadSettings, writeSettings } from '../toolkits.ts'
import { findSimilarKey, loadToolName, recordText } from '../versions.ts'

const NOT_ADMINISTRATOR = { refused: 'Only an administrator restores what another registry had' }

/** Restores each row whose place is not taken. Call in a transaction, which counts as one change. */
export function restoreRows(sql: SqlStorage, rows: readonly ArchiveRow[], principal: Principal): RowOutcome[] {
  if (!isAdministrator(principal)) return rows.map(() => NOT_ADMINISTRATOR)
  const createdVersions: VersionRow[] = []
  nextRevision(sql)
  const outcomes = rows.map((row) => {
    const outcome = restoreRow(sql, row, principal)
    if (row.kind === 'version' && outcome === 'created') createdVersions.push(row)
    return outcome
  })
  for (const versions of Map.groupBy(createdVersions, ({ record }) => record.source.hash ?? record.id).values()) {
    const [first] = versions
    const hash = first?.record.source.hash
    const document = (hash !== undefined && textByHash(sql, hash)) || ''
    const bytes = versions.reduce((sum, { record }) => sum + JSON.stringify(record).length, document.length)
    if (first?.publisher.principal) countPublished(sql, first.publisher.principal, bytes)
    const records = versions.map(({ record }) => record)
    updateSiblings(sql, records)
  }
  return outcomes
}

function restoreRow(sql: SqlStorage, row: ArchiveRow, principal: Principal): RowOutcome {
  switch (row.kind) {
    case 'toolkit':
      return restoreToolkit(sql, row, principal)
    case 'policy':
      return restorePolicy(sql, row.policy)
    case 'lock':
      return restoreLock(sql, row)
    case 'toolset':
      return restoreToolset(sql, row.toolset)
    case 'document':
      return restoreDocument(sql, row.document)
    case 'version':
      return row.bundled ? restoreBundled(sql, row) : restoreVersion(sql, row, principal)
    case 'skill':
      return restoreSkill(sql, row)
    case 'name':
      return restoreName(sql, row.name, toToolKey(row.tool))
    case 'given':
      return restoreGiven(sql, row.name, toToolKey(row.tool))
  }
}

type VersionRow = Extract<ArchiveRow, { kind: 'version' }>

function toToolKey(tool: string): string {
  const name = parseToolId(tool)
  return name === undefined ? '' : toolKey(name)
}

function restoreDocument(sql: SqlStorage, document: DefinitionDocument): RowOutcome {
  const storedVersions = listDocumentVersions(sql, document)
  const specified = { implementation: true, tags: true, toolkit: true }
  const reason = findDocumentConflict(sql, { document, specified }, storedVersions)
  if (reason !== undefined) return { refused: reason }
  if (storedVersions.some(({ version }) => version === document.itself?.version)) return 'unchanged'
  const id = document.itself?.id ?? document.toolkit
  const owner = findOwner(sql, sanitizeName(id))
  if (owner !== 'nobody' && canonicalJson(owner) !== canonicalJson(findOwner(sql, document.toolkit)))
    return { refused: `The id '${id}' is another's here, as a document's or a toolkit's` }
  storeDocument(sql, document)
  return 'created'
}

function restoreVersion(sql: SqlStorage, row: VersionRow, principal: Principal): RowOutcome {
  const { record, bundled: _, kind: __, ...versionState } = row
  const { id, toolkit, version, implementation, source } = record
  const key = toolKey(record)
  const storedText = recordText(sql, key, version)
  if (storedText === JSON.stringify(record)) return 'unchanged'
  if (storedText !== undefined) return { refused: `'${id}' is published already, and a version never changes` }
  const deleted = findDeletedDenial(sql, toolkit)
  if (deleted !== undefined) return { refused: deleted }
  const here = loadToolName(sql, key) ?? loadToolName(sql, findSimilarKey(sql, key) ?? '')
  if (here && formatToolId(here) !== formatToolId(record))
    return { refused: `'${formatToolId(here)}' exists: ids are unique ignoring case, and '-' is as '_'` }
  if (source.hash !== undefined && textByHash(sql, source.hash) === undefined)
    return { refused: `No document of the hash '${source.hash}' comes before it` }
  const blob = implementation?.kind === 'wasm' ? String(implementation['blob']) : undefined
  if (blob !== undefined && !holdsBlob(sql, blob))
    return { refused: `No bytes of its plugin, '${blob}', come before it` }
  storeVersion(sql, record, principal, versionState)
  return 'created'
}

function restoreSkill(sql: SqlStorage, row: Extract<ArchiveRow, { kind: 'skill' }>): RowOutcome {
  const query = 'SELECT digest FROM skill WHERE toolkit = ? AND name = ? AND version = ?'
  const stored = readField<string>(sql, query, row.toolkit, row.name, row.version)
  if (stored !== undefined)
    return stored === row.digest ? 'unchanged' : { refused: 'Another skill has this name and version here' }
  const deleted = findDeletedDenial(sql, row.toolkit)
  if (deleted !== undefined) return { refused: deleted }
  if (row.publisher !== null) countPublished(sql, row.publisher, row.manifest.length + row.files.length)
  insertSkill(sql, row)
  return 'created'
}

/** Restores only the status, and only if it is `active` here: bundled tools come with the deployment. */
function restoreBundled(sql: SqlStorage, { record, status }: VersionRow): RowOutcome {
  const key = toolKey(record)
  const stored = "SELECT iif(left_bundle, 'disabled', status ->> '$.state') FROM version"
  const state = readField<string>(sql, `${stored} WHERE key = ? AND version = ? AND bundled = 1`, key, record.version)
  if (state === undefined)
    return { skipped: 'It is a bundled tool that this deployment does not serve (demonstrations need DEMO_TOOLS)' }
  // Bundled tools are never reviewed
  if (status.state === 'active' || status.state === 'pending' || state !== 'active') return 'unchanged'
  storeStatus(sql, key, record.version, status, true)
  return 'changed'
}

/** Also gives settings to a bundled toolkit that has none here, so that one disabled elsewhere is not active here. */
function restoreToolkit(sql: SqlStorage, row: Extract<ArchiveRow, { kind: 'toolkit' }>, principal: Principal) {
  const { toolkit, owner, status, held, tags, review, description } = row
  const outcome = restoreOwner(sql, toolkit, owner)
  if (outcome === 'taken')
    return { refused: `The toolkit '${toolkit}' is another's here: PUT /toolkits/${toolkit} says whose it is` }
  const here = loadSettings(sql, toolkit)
  const hasNoSettings = here.status.state === 'active' && here.tags.length === 0 && !here.isReviewed
  const bringsSettings = status !== undefined || tags.length > 0 || review === true || description !== here.description
  if (!bringsSettings || !hasNoSettings || (outcome === 'unchanged' && !isBundled(sql, toolkit))) return outcome
  const change = { status, tags: tags.length > 0 ? tags : undefined, review: review || undefined, description }
  const changeResult = changeToolkit(sql, toolkit, change, principal)
  if (!changeResult.ok) return { refused: formatRefusal(changeResult) }
  writeSettings(sql, toolkit, { held: held ? 1 : 0 })
  return outcome === 'created' ? 'created' : 'changed'
}

/** If another policy has the pattern, a person must decide. */
function restorePolicy(sql: SqlStorage, policy: Policy): RowOutcome {
  const { pattern } = policy
  const here = findPolicy(sql, pattern)
  if (here) {
    if (canonicalJson(here) === canonicalJson(policy)) return 'unchanged'
    return { refused: `Another policy holds for '${pattern}' here: PUT /policies/{pattern} says which is to` }
  }
  if (storePolicy(sql, policy) !== 'limit-reached') return 'created'
  return { refused: `There are ${MAX_POLICIES} policies here, the maximum` }
}

function restoreLock(sql: SqlStorage, { hash, text }: Extract<ArchiveRow, { kind: 'lock' }>): RowOutcome {
  const status = storeLock(sql, hash, text)
  return status === 'limit-reached' ? { refused: `There are ${MAX_LOCKS} locks here, the maximum` } : status
}

function restoreToolset(sql: SqlStorage, toolset: Toolset): RowOutcome {
  const { name, digest, pending } = toolset
  const text = toolsetText(sql, name)
  if (text !== undefined) {
    const here: Toolset = JSON.parse(text)
    if (here.digest === digest && here.pending?.digest === pending?.digest) return 'unchanged'
    return { refused: `Another toolset has the name '${name}' here: PUT /toolsets/${name} says what it is to be` }
  }
  const result = storeToolset(sql, toolset)
  if (result === 'limit-reached') return { refused: `There are ${MAX_TOOLSETS} toolsets here, the maximum` }
  return result === 'created' ? 'created' : { refused: `The name '${name}' was another's here` }
}

/** Names are restored before their tools, so that no other tool takes the name first. */
function restoreName(sql: SqlStorage, name: string, key: string): RowOutcome {
  const holder = keyOfName(sql, name)
  if (holder === key) return 'unchanged'
  if (holder !== undefined) return { refused: `The name '${name}' leads to another tool here, '${holder}'` }
  sql.exec('INSERT INTO name VALUES (?, ?)', name.toLowerCase(), key)
  return 'created'
}

function restoreGiven(sql: SqlStorage, name: string, key: string): RowOutcome {
  const tool = firstRow<{ given: string | null }>(sql, 'SELECT given FROM tool WHERE key = ?', key)
  if (!tool || !loadToolName(sql, key)) return { refused: `There is no tool '${key}' here to be called '${name}'` }
  if (tool.given === name) return 'unchanged'
  if (tool.given !== null) return { refused: `'${key}' was given the name '${tool.given}' here` }
  const other = readField<string>(sql, 'SELECT key FROM tool WHERE lower(given) = lower(?)', name)
  if (other !== undefined) return { refused: `The name '${name}' was given to '${other}' here` }
  if (storeName(sql, key, name)) return 'created'
  return { refused: `'${name}' is the derived name of another tool, which keeps it` }
}
