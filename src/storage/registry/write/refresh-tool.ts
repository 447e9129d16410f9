import { parseTrusted } from '../../../core/tool/json-text.ts'
import { sourceNames } from '../../../core/tool/source-names.ts'
import { BY_TOOLKIT } from '../../../core/tool/tool-ref.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { resolveVersion } from '../../../core/tool/version.ts'
import { documentKey, kvKey } from '../../keys.ts'
import type { OutboxPriority } from '../../kv-outbox.ts'
import { isRemovedFromDocument } from '../document-aliases.ts'
import { markPagesDirty } from '../catalog/pages.ts'
import { indexTool } from '../search/search-index.ts'
import { queue } from '../tables.ts'
import { listVersions, recordText } from '../versions.ts'
import { assignName, claimExposedName, claimName } from './exposed-names.ts'

/** Updates a tool's listed version, names, index and page from its versions. Queues its entry for KV. */
export function refreshTool(sql: SqlStorage, key: string): void {
  const record = findListedRecord(sql, key)
  const exposed = record ? claimExposedName(sql, record, record.name) : null
  if (record) claimSourceNames(sql, record)
  sql.exec('UPDATE tool SET listed = ?, exposed = ? WHERE key = ?', record?.version ?? null, exposed, key)
  indexTool(sql, key, record)
  queue(sql, kvKey('tool', key))
  markPagesDirty(sql, key)
}

/** Refreshes a tool and queues all its records for KV, because each has its own key or may have had one. */
export function requeueTool(sql: SqlStorage, key: string, priority: OutboxPriority = 'status'): void {
  queueVersions(sql, key, priority)
  refreshTool(sql, key)
}

export function queueVersions(sql: SqlStorage, key: string, priority: OutboxPriority): void {
  for (const { digest } of listVersions(sql, key)) queue(sql, kvKey('record', digest), priority)
  queue(sql, kvKey('tool', key), priority)
}

/** Returns false if the name is another tool's derived name. */
export function storeName(sql: SqlStorage, key: string, name: string | null): boolean {
  const renamedKeys = assignName(sql, key, name)
  for (const renamedKey of renamedKeys ?? []) refreshTool(sql, renamedKey)
  return renamedKeys !== undefined
}

function findListedRecord(sql: SqlStorage, key: string): ToolRecord | undefined {
  if (isRemovedFromDocument(sql, key)) return undefined
  const active = listVersions(sql, key).filter(({ status }) => status.state === 'active')
  const listedVersion = resolveVersion(active)
  const text = listedVersion && recordText(sql, key, listedVersion.version)
  return text === undefined ? undefined : parseTrusted(text)
}

/** Claims a document's names for its tools: always in its toolkit, and without the toolkit if the names are free. */
function claimSourceNames(sql: SqlStorage, record: ToolRecord): void {
  const { identifier, name } = sourceNames(record)
  if (identifier !== undefined) claimName(sql, record, identifier)
  if (name === undefined) return
  claimName(sql, record, name)
  queue(sql, kvKey('address', documentKey(BY_TOOLKIT, record.toolkit)))
}
