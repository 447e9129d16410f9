import { canonicalJson } from '../../core/tool/digest.ts'
import type { Publication, Published } from '../../core/publish/registry.ts'
import { checkSuccessor } from '../../core/schema/change.ts'
import { formatToolId, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { compareVersions } from '../../core/tool/version.ts'
import { nameOf, recordText, storeVersion, versionsOf } from './versions.ts'

/** Stores all of a publication's records, or none, inside a transaction. `revision` is called when there is one to store. */
export function store(sql: SqlStorage, publication: Publication, revision: () => number): Published {
  const { records, given, allowBreaking } = publication
  const ids = records.map(({ id }) => id)
  const fresh: ToolRecord[] = []
  for (const record of records) {
    const key = toolKey(record)
    const name = nameOf(sql, key)
    if (name && formatToolId(name) !== formatToolId(record)) {
      const message = `'${formatToolId(name)}' exists: ids are unique ignoring case`
      return { outcome: 'conflict', ids, message }
    }
    const existing = recordText(sql, key, record.version)
    if (existing === undefined) fresh.push(record)
    else if (!isSame(JSON.parse(existing), record, given)) {
      return { outcome: 'conflict', ids, message: `'${record.id}' is published already, and a version never changes` }
    }
  }
  if (fresh.length === 0) return { outcome: 'unchanged', ids }
  if (!allowBreaking) {
    const problems = fresh.flatMap((record) => {
      const previous = previousOf(sql, record)
      return previous ? checkSuccessor(previous, record) : []
    })
    if (problems.length > 0) return { outcome: 'refused', ids, problems }
  }
  const at = revision()
  for (const record of fresh) storeVersion(sql, record, false, at)
  return { outcome: 'created', ids }
}

/** Whether a record says what is stored, where what the publisher left out is taken as it stands. */
function isSame(stored: ToolRecord, record: ToolRecord, given: Publication['given']): boolean {
  return (
    stored.source.dialect === record.source.dialect &&
    canonicalJson(stored.source.document) === canonicalJson(record.source.document) &&
    (!given.implementation || canonicalJson(stored.implementation ?? null) === canonicalJson(record.implementation)) &&
    (!given.tags || canonicalJson(stored.tags) === canonicalJson(record.tags))
  )
}

/** The highest version below a record's that was not withdrawn: what its version is measured against. */
function previousOf(sql: SqlStorage, record: ToolRecord): ToolRecord | undefined {
  const key = toolKey(record)
  const lower = versionsOf(sql, key)
    .filter(({ version, status }) => status.state !== 'yanked' && compareVersions(version, record.version) < 0)
    .sort((a, b) => compareVersions(b.version, a.version))[0]
  const text = lower && recordText(sql, key, lower.version)
  return text === undefined ? undefined : JSON.parse(text)
}
