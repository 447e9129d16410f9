import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { DefinitionDocument } from '../../../core/publish/registry.ts'
import { kvKey } from '../../keys.ts'
import { column, readField, rows } from '../../rows.ts'
import { listDocumentVersions, storeDocument } from '../document-aliases.ts'
import { nextRevision, writeMeta } from '../tables.ts'
import { loadSettings, writeSettings } from '../toolkits.ts'
import { updateSiblings, setUnbundled, storeVersion } from './store-version.ts'

export interface Bundle {
  readonly hash: string
  readonly records: readonly ToolRecord[]
  readonly documents: readonly DefinitionDocument[]
}

/** Stores a bundled version, which may replace another record of the same version. */
function replaceVersion(sql: SqlStorage, record: ToolRecord): void {
  const query = 'SELECT digest FROM version WHERE key = ? AND version = ?'
  const replacedDigest = readField<string>(sql, query, toolKey(record), record.version)
  storeVersion(sql, record, 'bundle')
  // The outbox would delete the replaced record from KV, where readers of the earlier entry look for it
  if (replacedDigest !== undefined) sql.exec('DELETE FROM outbox WHERE target = ?', kvKey('record', replacedDigest))
}

/** Installs the bundle of the newest deployment. A status that a person set stays. Call in a transaction. */
export function writeBundle(sql: SqlStorage, bundle: Bundle, deployedAt: number): void {
  nextRevision(sql)
  const bundledIds = new Set(bundle.records.map(({ id }) => id.toLowerCase()))
  for (const document of bundle.documents) {
    const [storedDocument] = listDocumentVersions(sql, document)
    // A taken id is not stored: isolates find that document in their bundle
    const { itself, ...documentWithoutId } = document
    const isTaken = storedDocument && (storedDocument.id !== itself?.id || storedDocument.toolkit !== document.toolkit)
    storeDocument(sql, isTaken ? documentWithoutId : document)
  }
  // A deployment with tools in a deleted toolkit restores the toolkit
  const deleted = new Set(column<string>(sql, 'SELECT key FROM toolkit WHERE deleted IS NOT NULL'))
  for (const { toolkit } of bundle.records) {
    if (deleted.delete(toolkit.toLowerCase())) writeSettings(sql, toolkit, { deleted: null })
  }
  for (const { toolkit, toolkitDescription: description } of bundle.documents) {
    if (description !== undefined && loadSettings(sql, toolkit).description === undefined)
      writeSettings(sql, toolkit, { description })
  }
  for (const record of bundle.records) {
    const key = toolKey(record)
    const query = 'SELECT left_bundle FROM version WHERE key = ? AND version = ? AND digest = ? AND bundled = 1'
    const leftBundle = readField<number>(sql, query, key, record.version, record.digest)
    if (leftBundle === undefined) replaceVersion(sql, record)
    else if (leftBundle === 1) setUnbundled(sql, key, record.version, false)
  }
  for (const { toolkit } of bundle.documents) {
    const records = bundle.records.filter((record) => record.toolkit === toolkit)
    updateSiblings(sql, records)
  }
  const bundledVersions = 'SELECT key, version FROM version WHERE bundled = 1 AND left_bundle = 0'
  for (const { key, version } of rows<{ key: string; version: string }>(sql, bundledVersions)) {
    if (!bundledIds.has(`${key}@${version}`)) setUnbundled(sql, key, version, true)
  }
  writeMeta(sql, 'bundle', bundle.hash)
  writeMeta(sql, 'bundle_at', String(deployedAt))
}
