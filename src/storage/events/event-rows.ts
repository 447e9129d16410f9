import { column, readField } from '../rows.ts'

/** Bounds of what a source stores for receivers that are slow or down. */
const MAX_EVENTS = 1_000
/** In characters. */
const MAX_SIZE = 32 * 1_024 * 1_024
const MAX_AGE_MS = 7 * 86_400_000
const MAX_PAGE = 100
const MAX_PAGE_SIZE = 1_024 * 1_024

export type StoredEvent = {
  readonly seq: number
  readonly id: string
  /** The event as JSON. */
  readonly body: string
}

/** The newest event always stays, so that no number is given twice. */
export function eventRows(sql: SqlStorage) {
  const lastSeq = () => readField<number>(sql, 'SELECT seq FROM event ORDER BY seq DESC LIMIT 1') ?? 0
  const dropped = () => (readField<number>(sql, 'SELECT seq FROM event ORDER BY seq LIMIT 1') ?? 1) - 1
  return {
    lastSeq,
    /** The last number whose event is no longer stored. */
    dropped,

    /** Gives how many were new. */
    add(events: readonly Omit<StoredEvent, 'seq'>[], now: number): number {
      const before = lastSeq()
      for (const { id, body } of events)
        sql.exec('INSERT OR IGNORE INTO event (id, at, size, body) VALUES (?, ?, ?, ?)', id, now, body.length, body)
      const last = lastSeq()
      const sizes = 'SELECT seq, sum(size) OVER (ORDER BY seq DESC) AS total FROM event'
      const surplus = readField<number>(sql, `SELECT max(seq) FROM (${sizes}) WHERE total > ?`, MAX_SIZE) ?? 0
      const old = readField<number>(sql, 'SELECT max(seq) FROM event WHERE at <= ?', now - MAX_AGE_MS) ?? 0
      sql.exec('DELETE FROM event WHERE seq <= ? AND seq < ?', Math.max(surplus, old, last - MAX_EVENTS), last)
      return last - before
    },

    /** The events after a number, of which the first is always among them. */
    list(after: number): StoredEvent[] {
      const page: StoredEvent[] = []
      let size = 0
      const query = 'SELECT seq, id, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?'
      for (const row of sql.exec<StoredEvent>(query, after, MAX_PAGE)) {
        size += row.body.length
        if (page.length > 0 && size > MAX_PAGE_SIZE) break
        page.push(row)
      }
      return page
    },

    /** The last number before the events that are younger. */
    findBefore: (at: number): number =>
      column<number | null>(sql, 'SELECT max(seq) FROM event WHERE at < ?', at)[0] ?? 0,
  }
}
