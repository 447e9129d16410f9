import type { HostNews } from '../../core/call/host-news.ts'
import type { HostCount } from '../../core/call/records.ts'
import { field } from '../rows.ts'

/** So many hosts of a toolkit are told apart; a tool that is sent on can be led to any number. */
const MAX_HOSTS = 100
/** What one answer holds at most. */
const MOST = 10_000

/** What all isolates told of a toolkit's host today. */
export type HostRow = {
  readonly toolkit: string
  readonly host: string
  readonly opened: number
  readonly failing: number
  readonly busy: number
  readonly open_until: number | null
}

/** Adds what an isolate tells of a host. Its state is what was told of the latest time. */
export function storeHost(sql: SqlStorage, { toolkit, host, opened, failing, busy, at, openUntil }: HostNews): void {
  const row = [toolkit, toldApart(sql, toolkit, host) ? host : '', opened, failing, busy, at, openUntil ?? null]
  sql.exec(
    `INSERT INTO host VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       opened = opened + excluded.opened, failing = failing + excluded.failing, busy = busy + excluded.busy,
       open_until = iif(excluded.at >= at, excluded.open_until, open_until), at = max(at, excluded.at)`,
    ...row,
  )
}

function toldApart(sql: SqlStorage, toolkit: string, host: string): boolean {
  const known = field<number>(sql, 'SELECT count(*) FROM host WHERE toolkit = ? AND host = ?', toolkit, host) ?? 0
  return known > 0 || (field<number>(sql, 'SELECT count(*) FROM host WHERE toolkit = ?', toolkit) ?? 0) < MAX_HOSTS
}

export function findHosts(sql: SqlStorage): HostRow[] {
  const columns = 'toolkit, host, opened, failing, busy, open_until'
  return sql.exec<HostRow>(`SELECT ${columns} FROM host ORDER BY toolkit, host LIMIT ?`, MOST).toArray()
}

/** A row as it is counted at a time: a host that was not to be asked until then may be asked once. */
export function countOf({ open_until: until, ...counts }: HostRow, now: number): HostCount {
  if (counts.host === '') return counts
  if (until === null) return { ...counts, state: 'closed' }
  return { ...counts, state: now < until ? 'open' : 'half-open' }
}
