/*
 * Updates every tool of a toolkit after a change of the toolkit: its entry in the index, its page and, if the change concerns
 * the status of versions, its entry in KV.
 *
 * - The change updates the first TOOLS_PER_CHANGE tools inside its own transaction. In a small toolkit, these are all.
 * - The outbox updates the others, TOOLS_PER_TURN in a turn. Other requests are handled between the turns.
 * - A second change of the toolkit extends the current fan-out, which continues to the last tool, then starts again and ends
 *   where it was. So waiting changes share one fan-out, and endless changes cannot keep a tool from its turn.
 * - Fan-outs of several toolkits take turns.
 */
import type { OutboxPriority } from '../../kv-outbox.ts'
import { column, firstRow } from '../../rows.ts'
import { nextRevision, readMeta, writeMeta } from '../tables.ts'
import { toolKeyRange } from '../toolkits.ts'
import { refreshTool, requeueTool } from './refresh-tool.ts'

/** Takes some 10 ms, during which other callers wait. Changes that arrive together add up. */
const TOOLS_PER_CHANGE = 50
/** Takes some 50 ms. */
const TOOLS_PER_TURN = 200

interface FanOut {
  /** The tools to update: their keys are greater than `after` and at most `last`. Older deployments stored none. */
  readonly spans?: readonly (readonly [after: string, last: string])[]
  /** Absent if the change did not concern the status of versions. */
  readonly reason?: OutboxPriority | undefined
}

/** The keys of `meta` that store unfinished fan-outs begin with this. */
const META_PREFIX = 'fan-out '

/** Starts in the transaction of a change. With a `reason`, the tools' entries in KV are queued with that priority. */
export function fanOut(sql: SqlStorage, toolkit: string, reason?: OutboxPriority): void {
  const name = META_PREFIX + toolkit.toLowerCase()
  const [first, last] = toolKeyRange(toolkit)
  const storedText = readMeta(sql, name)
  if (storedText === undefined) return takeTurn(sql, name, { spans: [[first, last]], reason }, TOOLS_PER_CHANGE)
  const earlier: FanOut = JSON.parse(storedText)
  const at = earlier.spans?.[0]?.[0] ?? first
  const afterwards = [first, at] as const
  const spans: FanOut['spans'] = [[at, last], afterwards]
  const strictest = reason === 'revocation' ? reason : (earlier.reason ?? reason)
  writeMeta(sql, name, JSON.stringify({ spans, reason: strictest } satisfies FanOut))
}

/** Takes a turn in a transaction. Returns true if another turn is needed. */
export function continueFanOut(sql: SqlStorage): boolean {
  const query = "SELECT name, value FROM meta WHERE name GLOB 'fan-out *' ORDER BY rowid LIMIT 1"
  const next = () => firstRow<{ name: string; value: string }>(sql, query)
  const unfinished = next()
  if (!unfinished) return false
  nextRevision(sql)
  takeTurn(sql, unfinished.name, JSON.parse(unfinished.value), TOOLS_PER_TURN)
  return next() !== undefined
}

function takeTurn(sql: SqlStorage, name: string, { spans, reason }: FanOut, limit: number): void {
  const [[after, last] = toolKeyRange(name.slice(META_PREFIX.length)), ...laterSpans] = spans ?? []
  const query = 'SELECT key FROM tool WHERE key > ? AND key <= ? ORDER BY key LIMIT ?'
  const keys = column<string>(sql, query, after, last, limit)
  for (const key of keys) {
    if (reason) requeueTool(sql, key, reason)
    else refreshTool(sql, key)
  }
  const remaining: FanOut['spans'] = keys.length < limit ? laterSpans : [[keys.at(-1) ?? last, last], ...laterSpans]
  // The row is written again as the last one, so other toolkits have their turns first
  sql.exec('DELETE FROM meta WHERE name = ?', name)
  if (remaining.length > 0) writeMeta(sql, name, JSON.stringify({ spans: remaining, reason } satisfies FanOut))
}
