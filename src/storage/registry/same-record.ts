import type { KeptDocument, Publication } from '../../core/publish/registry.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { textByHash } from './documents.ts'

/** Fields that the publisher left out match anything. */
export function isSame(
  sql: SqlStorage,
  stored: ToolRecord,
  record: ToolRecord,
  { document, given }: Publication,
): boolean {
  return (
    stored.source.dialect === record.source.dialect &&
    // A document with an id was compared as a whole
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

export function isSameJson(a: string, b: string): boolean {
  return canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b))
}
