import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { Source } from '../../../core/access/version-review.ts'
import type { VersionState } from '../../../core/publish/archive/archive-rows.ts'
import { sourceNames } from '../../../core/tool/source-names.ts'
import { BY_TOOLKIT } from '../../../core/tool/tool-ref.ts'
import { formatToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { resolveVersion, stricterStatus, type ToolStatus } from '../../../core/tool/version.ts'
import { documentKey, kvKey } from '../../keys.ts'
import type { OutboxPriority } from '../../kv-outbox.ts'
import { column } from '../../rows.ts'
import { isRemovedFromDocument, listRemovedSiblings, listSiblingTools } from '../document-aliases.ts'
import { claimDeclared, exposedName, assignName } from './exposed-names.ts'
import { markPagesDirty } from '../catalog/pages.ts'
import { indexTool } from '../search/search-index.ts'
import { queue } from '../tables.ts'
import { awaitsReview, toolKeyRange, toPublisher, loadSettings } from '../toolkits.ts'
import { IS_PENDING, loadToolName, recordText, listVersions } from '../versions.ts'

/** Only a bundled version replaces a stored one, whose status it keeps. A restored version brings its former state. */
export function storeVersion(sql: SqlStorage, record: ToolRecord, source: Source, versionState?: VersionState): void {
  const key = toolKey(record)
  const { principal, trusted } = versionState?.publisher ?? toPublisher(source, record)
  const storedDigests = column<string>(sql, 'SELECT digest FROM version WHERE key = ?', key)
  const initialStatus = versionState?.status ?? (awaitsReview(sql, source, record) ? PENDING : ACTIVE)
  const unreviewed = initialStatus.state === 'pending' || versionState?.unreviewed
  const [status, ownStatus] = statusColumns(initialStatus, loadSettings(sql, record.toolkit).status)
  sql.exec('INSERT OR IGNORE INTO tool (key, toolkit, tool) VALUES (?, ?, ?)', key, record.toolkit, record.tool)
  // A bundled version keeps the status that a person set; while it awaits review nobody did
  sql.exec(
    `INSERT INTO version (key, version, digest, status, own, record, bundled, publisher, trusted, held, unreviewed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET digest = excluded.digest, record = excluded.record, bundled = excluded.bundled,
       status = CASE WHEN ${IS_PENDING} THEN excluded.status ELSE status END,
       own = CASE WHEN ${IS_PENDING} THEN excluded.own ELSE own END,
       left_bundle = 0, publisher = excluded.publisher, trusted = excluded.trusted, unreviewed = excluded.unreviewed`,
    key,
    record.version,
    record.digest,
    status,
    ownStatus,
    JSON.stringify(record),
    source === 'bundle' ? 1 : 0,
    principal,
    trusted ? 1 : 0,
    versionState?.held ? 1 : 0,
    unreviewed ? 1 : 0,
  )
  const isOnlyVersion = storedDigests.length === 0
  const isInline = isOnlyVersion && status === JSON.stringify(ACTIVE) && !isRemovedFromDocument(sql, key)
  queueRecords(sql, record.digest, isInline, storedDigests)
  refreshTool(sql, key)
}

/**
 * Queues the records that need a KV key of their own. The entry of a tool with one active version contains its record, so
 * that record gets a key only when a second version is published.
 */
function queueRecords(sql: SqlStorage, digest: string, isInline: boolean, storedDigests: readonly string[]): void {
  const [only, second] = storedDigests
  if (only !== undefined && second === undefined) queue(sql, kvKey('record', only))
  if (!isInline) queue(sql, kvKey('record', digest))
}

/** Once disabled by an administrator, only an administrator enables it. Gives the keys of other tools that it changed. */
export function storeStatus(
  sql: SqlStorage,
  key: string,
  version: string,
  status: ToolStatus,
  byAdministrator: boolean,
): readonly string[] {
  const before = listRemovedSiblings(sql, key)
  sql.exec(
    // A refused version still awaits review: else its publisher could enable it
    `UPDATE version SET status = ?, own = ?, left_bundle = 0, held = ?, unreviewed = unreviewed AND ?
     WHERE key = ? AND version = ?`,
    ...statusColumns(status, loadSettings(sql, loadToolName(sql, key)?.toolkit ?? '').status),
    byAdministrator && status.state === 'disabled' ? 1 : 0,
    status.state === 'disabled' ? 1 : 0,
    key,
    version,
  )
  const reason = statusPriority(status, byAdministrator)
  // Another version of its document may be the newest now, which defines other tools
  const after = listRemovedSiblings(sql, key)
  const siblingKeys = [...before, ...after].filter((each) => each !== key && before.has(each) !== after.has(each))
  for (const each of [key, ...siblingKeys]) requeueTool(sql, each, reason)
  return siblingKeys
}

/** What an administrator makes inactive is written to KV before all else. */
export function statusPriority({ state }: ToolStatus, byAdministrator: boolean): OutboxPriority {
  return byAdministrator && state !== 'active' ? 'revocation' : 'status'
}

const ACTIVE: ToolStatus = { state: 'active' }
const PENDING: ToolStatus = { state: 'pending' }

/** `status` is the stricter one of the version's and the toolkit's; `own` is the version's if the toolkit's is stricter, else null. */
function statusColumns(ownStatus: ToolStatus, toolkit: ToolStatus): [status: string, own: string | null] {
  const status = stricterStatus(ownStatus, toolkit)
  return [JSON.stringify(status), status === ownStatus ? null : JSON.stringify(ownStatus)]
}

export function storeToolkitStatus(sql: SqlStorage, toolkit: string, status: ToolStatus): void {
  const range = toolKeyRange(toolkit)
  const statuses = 'SELECT DISTINCT coalesce(own, status) FROM version WHERE key >= ? AND key < ?'
  const update = 'UPDATE version SET status = ?, own = ? WHERE key >= ? AND key < ? AND coalesce(own, status) = ?'
  for (const ownStatus of column<string>(sql, statuses, ...range))
    sql.exec(update, ...statusColumns(parseTrusted(ownStatus), status), ...range, ownStatus)
}

export function storeTrust(sql: SqlStorage, key: string, version: string, trusted: boolean): void {
  sql.exec('UPDATE version SET trusted = ? WHERE key = ? AND version = ?', trusted ? 1 : 0, key, version)
  queueVersions(sql, key, trusted ? 'status' : 'revocation')
}

export function setUnbundled(sql: SqlStorage, key: string, version: string, isUnbundled: boolean): void {
  sql.exec('UPDATE version SET left_bundle = ? WHERE key = ? AND version = ?', isUnbundled ? 1 : 0, key, version)
  requeueTool(sql, key)
}

export function requeueTool(sql: SqlStorage, key: string, reason: OutboxPriority = 'status'): void {
  queueVersions(sql, key, reason)
  refreshTool(sql, key)
}

function queueVersions(sql: SqlStorage, key: string, reason: OutboxPriority): void {
  for (const { digest } of listVersions(sql, key)) queue(sql, kvKey('record', digest), reason)
  queue(sql, kvKey('tool', key), reason)
}

export function refreshTool(sql: SqlStorage, key: string): void {
  const active = isRemovedFromDocument(sql, key)
    ? []
    : listVersions(sql, key).filter(({ status }) => status.state === 'active')
  const listed = resolveVersion(active)?.version ?? null
  const text = listed === null ? undefined : recordText(sql, key, listed)
  const record: ToolRecord | undefined = text === undefined ? undefined : parseTrusted(text)
  const exposed = record ? exposedName(sql, record, record.name) : null
  if (record) claimSourceNames(sql, record)
  sql.exec('UPDATE tool SET listed = ?, exposed = ? WHERE key = ?', listed, exposed, key)
  indexTool(sql, key, record)
  queue(sql, kvKey('tool', key))
  markPagesDirty(sql, key)
}

/** A document's own names of its tools lead to them: in its toolkit always, and without it where nobody had them first. */
function claimSourceNames(sql: SqlStorage, record: ToolRecord): void {
  const { identifier, name } = sourceNames(record)
  for (const each of [identifier, name]) if (each !== undefined) claimDeclared(sql, record, each)
  if (name !== undefined) queue(sql, kvKey('address', documentKey(BY_TOOLKIT, record.toolkit)))
}

export function storeName(sql: SqlStorage, key: string, name: string | null): boolean {
  const renamed = assignName(sql, key, name)
  for (const each of renamed ?? []) refreshTool(sql, each)
  return renamed !== undefined
}

/**
 * Updates the other tools of a document after a new version, but those that were left out `before`. Gives the ids of
 * those that it no longer defines.
 */
export function updateSiblings(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  before?: ReadonlySet<string>,
): string[] {
  const [first] = records
  const stored = new Set(records.map(toolKey))
  const others = first ? listSiblingTools(sql, toolKey(first)).filter((key) => !stored.has(key)) : []
  const after = first ? listRemovedSiblings(sql, toolKey(first)) : new Set()
  for (const key of others) if (!before || before.has(key) !== after.has(key)) requeueTool(sql, key)
  return others
    .filter((key) => after.has(key))
    .flatMap((key) => loadToolName(sql, key) ?? [])
    .map((name) => formatToolId(name))
}
