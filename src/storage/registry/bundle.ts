import { toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import type { KeptDocument } from '../../core/publish/registry.ts'
import { column } from '../rows.ts'
import { documentRows, storeDocument } from './documents.ts'
import { readMeta, readNumber, writeMeta } from './tables.ts'
import { writeToolkit } from './toolkits.ts'
import { leaveOut, storeLeftBundle, storeVersion } from './store-version.ts'
import { versionsOf } from './versions.ts'

/** The tools that a deployment carries. */
export interface Bundle {
  /** Names the bundle's content. */
  readonly hash: string
  readonly records: readonly ToolRecord[]
  readonly documents: readonly KeptDocument[]
}

/**
 * Whether a deployment's bundle is to be taken in: it is not the one last taken in, nor of an older deployment than that.
 * `deployedAt` is in milliseconds since 1970, and 0 when the platform does not say.
 */
export function isWanted(sql: SqlStorage, hash: string, deployedAt: number): boolean {
  if (readMeta(sql, 'bundle') === hash) return false
  return deployedAt === 0 || deployedAt >= readNumber(sql, 'bundle_at')
}

/** A newer deployment of the bundle last taken in: from now on, those made before it are old. */
export function noteDeployment(sql: SqlStorage, hash: string, deployedAt: number): void {
  const newer = deployedAt > readNumber(sql, 'bundle_at')
  if (newer && readMeta(sql, 'bundle') === hash) writeMeta(sql, 'bundle_at', String(deployedAt))
}

/**
 * Takes in a bundle: new tools are published, changed ones replaced (the newest deployment wins), and what the bundle no
 * longer carries is disabled until it comes back. What a person said of a tool's status stays. To be run inside a transaction.
 */
export function takeInBundle(sql: SqlStorage, bundle: Bundle, deployedAt: number, revision: number): void {
  const carried = new Set(bundle.records.map(({ id }) => id.toLowerCase()))
  for (const document of bundle.documents) {
    const [taken] = documentRows(sql, document.dialect, document.itself?.id ?? '')
    const isFree = !taken || (taken.toolkit === document.toolkit && taken.id === document.itself?.id)
    // Whoever published a document of its id first keeps its rows; an isolate that carries this one leads to it all the same
    const { itself: _, ...unplaced } = document
    storeDocument(sql, isFree ? document : unplaced, revision)
  }
  // A deployment that brings tools of a toolkit along takes its name
  const deleted = new Set(column<string>(sql, 'SELECT key FROM toolkit WHERE deleted IS NOT NULL'))
  for (const { toolkit } of bundle.records) {
    if (deleted.delete(toolkit.toLowerCase())) writeToolkit(sql, toolkit, { deleted: null })
  }
  for (const record of bundle.records) {
    const key = toolKey(record)
    const stored = versionsOf(sql, key).find(({ version }) => version === record.version)
    if (!stored || stored.digest !== record.digest || !stored.bundled) storeVersion(sql, record, 'bundle', revision)
    else if (stored.leftBundle) storeLeftBundle(sql, key, record.version, false, revision)
  }
  for (const { toolkit } of bundle.documents) {
    leaveOut(
      sql,
      bundle.records.filter((record) => record.toolkit === toolkit),
      revision,
    )
  }
  const bundled = sql
    .exec<{ key: string; version: string }>('SELECT key, version FROM version WHERE bundled = 1 AND left_bundle = 0')
    .toArray()
  for (const { key, version } of bundled) {
    if (!carried.has(`${key}@${version}`)) storeLeftBundle(sql, key, version, true, revision)
  }
  writeMeta(sql, 'bundle', bundle.hash)
  writeMeta(sql, 'bundle_at', String(deployedAt))
}
