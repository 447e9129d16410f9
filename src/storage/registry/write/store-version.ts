import { isTrustedWith, type Principal } from '../../../core/access/principal.ts'
import type { VersionState } from '../../../core/publish/archive/archive-rows.ts'
import { formatToolId, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import type { Publisher, ToolRecord } from '../../../core/tool/tool.ts'
import type { ToolStatus } from '../../../core/tool/version.ts'
import { kvKey } from '../../keys.ts'
import { column } from '../../rows.ts'
import { isRemovedFromDocument, listRemovedSiblings, listSiblingTools } from '../document-aliases.ts'
import { queue } from '../tables.ts'
import { awaitsReview } from '../toolkit-rights.ts'
import { loadSettings } from '../toolkits.ts'
import { IS_PENDING, loadToolName } from '../versions.ts'
import { refreshTool, requeueTool } from './refresh-tool.ts'
import { toStatusColumns } from './version-status.ts'

const ACTIVE: ToolStatus = { state: 'active' }
const PENDING: ToolStatus = { state: 'pending' }

/** Stores a version. Only a bundled version replaces a stored one. A restored version has its former state. */
export function storeVersion(
  sql: SqlStorage,
  record: ToolRecord,
  publishedBy: Principal | 'bundle',
  formerState?: VersionState,
): void {
  const key = toolKey(record)
  const { principal, trusted } = formerState?.publisher ?? toPublisher(publishedBy, record)
  const storedDigests = column<string>(sql, 'SELECT digest FROM version WHERE key = ?', key)
  const initialStatus = formerState?.status ?? (awaitsReview(sql, publishedBy, record) ? PENDING : ACTIVE)
  const isUnreviewed = initialStatus.state === 'pending' || formerState?.unreviewed
  const [status, ownStatus] = toStatusColumns(initialStatus, loadSettings(sql, record.toolkit).status)
  sql.exec('INSERT OR IGNORE INTO tool (key, toolkit, tool) VALUES (?, ?, ?)', key, record.toolkit, record.tool)
  // Keeps the status that a person set for a bundled version. A pending status was not set by a person
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
    publishedBy === 'bundle' ? 1 : 0,
    principal,
    trusted ? 1 : 0,
    formerState?.held ? 1 : 0,
    isUnreviewed ? 1 : 0,
  )
  // The entry of a tool with one active version contains its record. Any other record needs its own KV key
  const isOnlyVersion = storedDigests.length === 0
  const isInEntry = isOnlyVersion && status === JSON.stringify(ACTIVE) && !isRemovedFromDocument(sql, key)
  if (!isInEntry) queue(sql, kvKey('record', record.digest))
  const [firstDigest, ...laterDigests] = storedDigests
  if (firstDigest !== undefined && laterDigests.length === 0) queue(sql, kvKey('record', firstDigest))
  refreshTool(sql, key)
}

function toPublisher(publishedBy: Principal | 'bundle', name: ToolName): Publisher {
  if (publishedBy === 'bundle') return { principal: 'bundle', trusted: true }
  return { principal: publishedBy.id, trusted: isTrustedWith(publishedBy, name) }
}

export function setUnbundled(sql: SqlStorage, key: string, version: string, isUnbundled: boolean): void {
  sql.exec('UPDATE version SET left_bundle = ? WHERE key = ? AND version = ?', isUnbundled ? 1 : 0, key, version)
  requeueTool(sql, key)
}

/**
 * Updates the other tools of a document after a new version. With `removedBefore`, only those whose removal changed. Returns
 * the ids of the tools that the document no longer defines.
 */
export function updateSiblings(
  sql: SqlStorage,
  records: readonly ToolRecord[],
  removedBefore?: ReadonlySet<string>,
): string[] {
  const [first] = records
  if (!first) return []
  const storedKeys = new Set(records.map(toolKey))
  const otherKeys = listSiblingTools(sql, toolKey(first)).filter((key) => !storedKeys.has(key))
  const removedSiblings = listRemovedSiblings(sql, toolKey(first))
  for (const key of otherKeys) {
    const isUnaffected = removedBefore && removedBefore.has(key) === removedSiblings.has(key)
    if (!isUnaffected) requeueTool(sql, key)
  }
  const names = otherKeys.flatMap((key) => (removedSiblings.has(key) ? (loadToolName(sql, key) ?? []) : []))
  return names.map((name) => formatToolId(name))
}
