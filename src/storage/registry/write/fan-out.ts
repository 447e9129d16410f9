import type { OutboxPriority } from '../../kv-outbox.ts'
import { column, firstRow } from '../../rows.ts'
import { nextRevision, readMeta, writeMeta } from '../tables.ts'
import { toolKeyRange } from '../toolkits.ts'
import { refreshTool, requeueTool } from './store-version.ts'

/**
 * Updates what is derived from the tools of a toolkit after a change of the toolkit: pages, index and KV. A change updates
 * the first tools inside its own transaction, so that it is complete at once in a small toolkit. The outbox updates the
 * others in turns, and other requests are handled between the turns. A change of a toolkit whose earlier change is not
 * complete updates nothing itself: the turns begin again, and all waiting changes share them.
 */

/** Some 10 ms: many changes that arrive together hold up other callers for as many of these. */
const TOOLS_PER_CHANGE = 50
/** Some 50 ms. */
const TOOLS_PER_TURN = 200

interface FanOut {
  /** The last tool that was updated. */
  readonly after: string
  /** Absent if the change did not concern the status of versions. */
  readonly reason?: OutboxPriority | undefined
}

/** The keys of `meta` that store unfinished fan-outs begin with this. */
const META_PREFIX = 'fan-out '

/** Storages without an unfinished fan-out, so that no publication has to look. */
const idle = new WeakSet<SqlStorage>()

/** Begins inside the transaction of a change. With a `reason`, the tools' entries in KV are queued with that priority. */
export function fanOut(sql: SqlStorage, toolkit: string, reason?: OutboxPriority): void {
  idle.delete(sql)
  const name = META_PREFIX + toolkit.toLowerCase()
  const earlier = readMeta(sql, name)
  const { reason: earlierReason }: Partial<FanOut> = JSON.parse(earlier ?? '{}')
  const fanOut: FanOut = { after: '', reason: reason === 'revocation' ? reason : (earlierReason ?? reason) }
  writeMeta(sql, name, JSON.stringify(fanOut))
  if (earlier === undefined) takeTurn(sql, name, TOOLS_PER_CHANGE)
}

/** Takes a turn inside a transaction. True if another turn is needed. */
export function continueFanOut(sql: SqlStorage): boolean {
  const next = () => firstRow<{ name: string }>(sql, "SELECT name FROM meta WHERE name GLOB 'fan-out *' LIMIT 1")?.name
  const name = idle.has(sql) ? undefined : next()
  if (name === undefined) {
    idle.add(sql)
    return false
  }
  nextRevision(sql)
  takeTurn(sql, name, TOOLS_PER_TURN)
  return next() !== undefined
}

function takeTurn(sql: SqlStorage, name: string, limit: number): void {
  const { after, reason }: FanOut = JSON.parse(readMeta(sql, name) ?? '')
  const query = 'SELECT key FROM tool WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?'
  const keys = column<string>(sql, query, ...toolKeyRange(name.slice(META_PREFIX.length)), after, limit)
  for (const key of keys) {
    if (reason) requeueTool(sql, key, reason)
    else refreshTool(sql, key)
  }
  if (keys.length < limit) sql.exec('DELETE FROM meta WHERE name = ?', name)
  else writeMeta(sql, name, JSON.stringify({ after: keys.at(-1), reason }))
}
