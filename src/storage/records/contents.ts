import type { CallRecord } from '../../core/call/call-record.ts'
import { readField } from '../rows.ts'
import { addToMeta, insertAll, readMeta } from './tables.ts'

export interface SealedContent extends Pick<CallRecord, 'call_id' | 'at'> {
  /** The only reader: the caller, or for an agent the person for whom it acts. */
  readonly owner: string
  readonly sealed: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** In characters per day. Together with the records of calls, contents take half of an object's space. */
const MAX_CONTENTS = 1_000_000_000
const MAX_CONTENTS_OF_OWNER = 100_000_000

/** Stores contents, except those for which there is no room. */
export function storeContents(sql: SqlStorage, contents: readonly SealedContent[]): void {
  for (const { owner, call_id, at, sealed } of contents) {
    const ownerMeta = `contents of ${owner}`
    if (readMeta(sql, 'contents') > MAX_CONTENTS || readMeta(sql, ownerMeta) > MAX_CONTENTS_OF_OWNER) continue
    for (const name of ['contents', ownerMeta]) addToMeta(sql, name, sealed.length)
    insertAll(sql, 'content (owner, call_id, at, sealed)', [[owner, call_id, at, sealed]], 'ON CONFLICT DO NOTHING')
  }
}

export function findContent(sql: SqlStorage, owner: string, callId: string, at: number): string | undefined {
  const query = 'SELECT sealed FROM content WHERE owner = ? AND call_id = ? AND at = ?'
  return readField<string>(sql, query, owner, callId, at)
}
