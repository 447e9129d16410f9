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

/** Updates what follows from a tool's versions: its listed version, names, index and page. Queues its entry for KV. */
export function refreshTool(sql: SqlStorage, key: string): void {
  const record = findListedRecord(sql, key)
  const exposed = record ? claimExposedName(sql, record, record.name) : null
  if (record) claimSourceNames(sql, record)
  sql.exec('UPDATE tool SET listed = ?, exposed = ? WHERE key = ?', record?.version ?? null, exposed, key)
  indexTool(sql, key, record)
  queue(sql, kvKey('tool', key))
  markPagesDirty(sql, key)
}

/** Refreshes a tool and queues all its records for KV, since each of them has a key of its own or may have had one. */
export function requeueTool(sql: SqlStorage, key: string, priority: OutboxPriority = 'status'): void {
  queueVersions(sql, key, priority)
  refreshTool(sql, key)
}

export function queueVersions(sql: SqlStorage, key: string, priority: OutboxPriority): void {
  for (const { digest } of listVersions(sql, key)) queue(sql, kvKey('record', digest), priority)
  queue(sql, kvKey('tool', key), priority)
}

/** False if the name is the derived name of another tool. */
export function storeName(sql: SqlStorage, key: string, name: string | null): boolean {
  const renamedKeys = assignName(sql, key, name)
  for (const renamedKey of renamedKeys ?? []) refreshTool(sql, renamedKey)
  return renamedKeys !== undefined
}

function findListedRecord(sql: SqlStorage, key: string): ToolRecord | undefined {
  if (isRemovedFromDocument(sql, key)) return undefined
  const active = listVersions(sql, key).filter(({ status }) => status.state === 'active')
  const listed = resolveVersion(active)
  const text = listed && recordText(sql, key, listed.version)
  return text === undefined ? undefined : parseTrusted(text)
}

/** A document's own names of its tools lead to them: in its toolkit always, and without it where nobody had them first. */
function claimSourceNames(sql: SqlStorage, record: ToolRecord): void {
  const { identifier, name } = sourceNames(record)
  if (identifier !== undefined) claimName(sql, record, identifier)
  if (name === undefined) return
  claimName(sql, record, name)
  queue(sql, kvKey('address', documentKey(BY_TOOLKIT, record.toolkit)))
}
