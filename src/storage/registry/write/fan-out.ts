import type { OutboxPriority } from '../../kv-outbox.ts'
import { column, firstRow } from '../../rows.ts'
import { nextRevision, readMeta, writeMeta } from '../tables.ts'
import { toolKeyRange } from '../toolkits.ts'
import { refreshTool, requeueTool } from './store-version.ts'

/** In a turn, which takes some 100 ms: one change of a toolkit must not hold up others for each of its tools. */
const TOOLS_PER_TURN = 200

interface FanOut {
  /** The last tool that was updated. */
  readonly after: string
  /** Absent where the status of no version changed. */
  readonly reason?: OutboxPriority | undefined
}

/** Of the keys of `meta` that hold unfinished fan-outs. */
const META_PREFIX = 'fan-out '

/** Storages in which none is under way, so that no publication has to look. */
const idle = new WeakSet<SqlStorage>()

/** Updates what is made of a toolkit's tools: the first ones inside this transaction, the rest in turns of the outbox. */
export function fanOut(sql: SqlStorage, toolkit: string, reason?: OutboxPriority): void {
  idle.delete(sql)
  const name = META_PREFIX + toolkit.toLowerCase()
  const before: FanOut | undefined = JSON.parse(readMeta(sql, name) ?? 'null') ?? undefined
  writeMeta(sql, name, JSON.stringify({ after: '', reason: before?.reason ?? reason }))
  takeTurn(sql, name)
}

/** Inside a transaction. Whether more is left to do. */
export function continueFanOut(sql: SqlStorage): boolean {
  const next = () => firstRow<{ name: string }>(sql, "SELECT name FROM meta WHERE name GLOB 'fan-out *' LIMIT 1")?.name
  const name = idle.has(sql) ? undefined : next()
  if (name === undefined) {
    idle.add(sql)
    return false
  }
  nextRevision(sql)
  takeTurn(sql, name)
  return next() !== undefined
}

function takeTurn(sql: SqlStorage, name: string): void {
  const { after, reason }: FanOut = JSON.parse(readMeta(sql, name) ?? '')
  const query = 'SELECT key FROM tool WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?'
  const keys = column<string>(sql, query, ...toolKeyRange(name.slice(META_PREFIX.length)), after, TOOLS_PER_TURN)
  for (const key of keys) {
    if (reason) requeueTool(sql, key, reason)
    else refreshTool(sql, key)
  }
  if (keys.length < TOOLS_PER_TURN) sql.exec('DELETE FROM meta WHERE name = ?', name)
  else writeMeta(sql, name, JSON.stringify({ after: keys.at(-1), reason }))
}
