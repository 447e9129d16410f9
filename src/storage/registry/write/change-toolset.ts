import { type LockPublisher, MAX_LOCKS, type PutLockStatus } from '../../../core/access/tool-lock.ts'
import { MAX_TOOLSETS, type Toolset } from '../../../core/access/toolset.ts'
import { findQuotaDenial, type PublishedTotals } from '../../../core/publish/publisher-quota.ts'
import { matchesPrecondition, type Precondition } from '../../../core/tool/precondition.ts'
import type { PutResult, RemoveResult } from '../../../core/tool/precondition.ts'
import { kvKey } from '../../keys.ts'
import { readField } from '../../rows.ts'
import { nextRevision, queue } from '../tables.ts'
import { countPublished, publishedBy } from './quota.ts'
import { findFormerOwner, lockText, IS_TOOLSET, toDeletedName, toolsetText } from '../toolsets.ts'

/** Beyond this, the owners of the names that were deleted earliest are dropped. */
const MAX_DELETED = 10_000

export function storeToolset(
  sql: SqlStorage,
  toolset: Toolset,
  precondition?: Precondition,
): PutResult | 'limit-reached' {
  const { name, owner } = toolset
  const before = toolsetText(sql, name)
  const storedToolset: Toolset | undefined = before === undefined ? undefined : JSON.parse(before)
  const holder = storedToolset?.owner ?? findFormerOwner(sql, name) ?? owner
  if (holder !== owner || !matchesPrecondition(before, precondition)) return 'precondition-failed'
  const body = JSON.stringify(toolset)
  if (before === body) return 'replaced'
  if (!storedToolset && countRows(sql, `toolset WHERE ${IS_TOOLSET}`) >= MAX_TOOLSETS) return 'limit-reached'
  sql.exec('INSERT OR REPLACE INTO toolset VALUES (?, ?)', name, body)
  queueChange(sql, kvKey('toolset', name), before === undefined)
  return before === undefined ? 'created' : 'replaced'
}

export function removeToolset(sql: SqlStorage, name: string, precondition?: Precondition): RemoveResult {
  const before = toolsetText(sql, name)
  if (before === undefined) return 'not-found'
  if (!matchesPrecondition(before, precondition)) return 'precondition-failed'
  const { owner }: Toolset = JSON.parse(before)
  sql.exec('DELETE FROM toolset WHERE name = ?', name)
  sql.exec('INSERT OR REPLACE INTO toolset VALUES (?, ?)', toDeletedName(name), owner)
  sql.exec(
    `DELETE FROM toolset WHERE rowid IN (SELECT rowid FROM toolset WHERE NOT (${IS_TOOLSET})
    ORDER BY rowid DESC LIMIT -1 OFFSET ?)`,
    MAX_DELETED,
  )
  queueChange(sql, kvKey('toolset', name))
  return 'removed'
}

export function publishLock(
  sql: SqlStorage,
  { hash, text }: { readonly hash: string; readonly text: string },
  { id, hasQuota }: LockPublisher,
  quota: PublishedTotals,
): PutLockStatus {
  const { length: bytes } = text
  const publishedTotals = publishedBy(sql, id)
  const denied = findQuotaDenial(hasQuota ? quota : undefined, publishedTotals, bytes)
  if (denied !== undefined && lockText(sql, hash) === undefined) return { denied }
  const status = storeLock(sql, hash, text)
  if (status === 'created') countPublished(sql, id, bytes)
  return status
}

export function storeLock(sql: SqlStorage, hash: string, text: string): 'created' | 'unchanged' | 'limit-reached' {
  if (lockText(sql, hash) !== undefined) return 'unchanged'
  if (countRows(sql, 'lock') >= MAX_LOCKS) return 'limit-reached'
  sql.exec('INSERT INTO lock VALUES (?, ?)', hash, text)
  queueChange(sql, kvKey('lock', hash), true)
  return 'created'
}

export function removeLock(sql: SqlStorage, hash: string): boolean {
  if (lockText(sql, hash) === undefined) return false
  sql.exec('DELETE FROM lock WHERE hash = ?', hash)
  queueChange(sql, kvKey('lock', hash))
  return true
}

/** A change of an existing entry may restrict, so it is written to KV before publications. */
function queueChange(sql: SqlStorage, target: string, isNew = false): void {
  nextRevision(sql)
  queue(sql, target, isNew ? 'publication' : 'revocation')
}

function countRows(sql: SqlStorage, table: string): number {
  return readField<number>(sql, `SELECT count(*) FROM ${table}`) ?? 0
}
