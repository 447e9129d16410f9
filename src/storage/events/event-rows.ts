import { readField } from '../rows.ts'

/** Limits on the events that a source stores for receivers that are slow or down. */
const MAX_EVENTS = 1_000
const MAX_AGE_MS = 7 * 86_400_000
const MAX_PAGE_EVENTS = 20
const MAX_PAGE_CHARACTERS = 1_000_000

export type StoredEvent = {
  readonly seq: number
  readonly id: string
  /** The event as JSON. */
  readonly body: string
}

/** The row of the newest event is always kept, so that no number is used twice. */
export function eventRows(sql: SqlStorage, now: () => number) {
  const lastSeq = () => readField<number>(sql, 'SELECT seq FROM event ORDER BY seq DESC LIMIT 1') ?? 0
  /** Returns the number of the last event before a time. */
  const findBefore = (at: number) => readField<number | null>(sql, 'SELECT max(seq) FROM event WHERE at < ?', at) ?? 0
  const findOld = () => findBefore(now() - MAX_AGE_MS)
  /** Returns the number of the last event that was deleted or is too old. */
  const dropped = () => Math.max((readField<number | null>(sql, 'SELECT min(seq) FROM event') ?? 1) - 1, findOld())
  return {
    lastSeq,
    findBefore,
    dropped,

    /** Returns the number of new events. */
    add(events: readonly Omit<StoredEvent, 'seq'>[]): number {
      const before = lastSeq()
      for (const { id, body } of events)
        sql.exec('INSERT OR IGNORE INTO event (id, at, body) VALUES (?, ?, ?)', id, now(), body)
      const last = lastSeq()
      sql.exec('DELETE FROM event WHERE seq <= ? AND seq < ?', Math.max(findOld(), last - MAX_EVENTS), last)
      return last - before
    },

    /** Returns a page of the events after a number: at least one, if there are any. */
    list(after: number): StoredEvent[] {
      const page: StoredEvent[] = []
      let size = 0
      const query = 'SELECT seq, id, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?'
      for (const row of sql.exec<StoredEvent>(query, Math.max(after, dropped()), MAX_PAGE_EVENTS)) {
        size += row.body.length
        if (page.length > 0 && size > MAX_PAGE_CHARACTERS) break
        page.push(row)
      }
      return page
    },

    /** Deletes the events, so that the next user of the source cannot read them. */
    clear: () => void sql.exec("UPDATE event SET id = seq, at = 0, body = ''"),
  }
}
