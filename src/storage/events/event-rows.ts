import { readField } from '../rows.ts'

/** Limits of the events that a source stores for receivers that are slow or down. */
const MAX_EVENTS = 1_000
const MAX_STORED_CHARACTERS = 32 * 1_024 * 1_024
const MAX_AGE_MS = 7 * 86_400_000
const MAX_PAGE_EVENTS = 100
const MAX_PAGE_CHARACTERS = 1_024 * 1_024

export type StoredEvent = {
  readonly seq: number
  readonly id: string
  /** The event as JSON. */
  readonly body: string
}

/** The row of the newest event is always kept, if necessary without its body, so that no number is used twice. */
export function eventRows(sql: SqlStorage, now: () => number) {
  const lastSeq = () => readField<number>(sql, 'SELECT seq FROM event ORDER BY seq DESC LIMIT 1') ?? 0
  /** The number of the last event before a time. */
  const findBefore = (at: number) => readField<number | null>(sql, 'SELECT max(seq) FROM event WHERE at < ?', at) ?? 0
  const findOld = () => findBefore(now() - MAX_AGE_MS)
  const dropped = () => {
    const first = readField<number>(sql, "SELECT seq FROM event WHERE body <> '' ORDER BY seq LIMIT 1")
    return Math.max((first ?? lastSeq() + 1) - 1, findOld())
  }
  return {
    lastSeq,
    findBefore,
    /** The number of the last event that was deleted or is too old. */
    dropped,

    /** Returns the number of new events. */
    add(events: readonly Omit<StoredEvent, 'seq'>[]): number {
      const before = lastSeq()
      for (const { id, body } of events)
        sql.exec('INSERT OR IGNORE INTO event (id, at, size, body) VALUES (?, ?, ?, ?)', id, now(), body.length, body)
      const last = lastSeq()
      const sizes = 'SELECT seq, sum(size) OVER (ORDER BY seq DESC) AS total FROM event'
      const surplus =
        readField<number>(sql, `SELECT max(seq) FROM (${sizes}) WHERE total > ?`, MAX_STORED_CHARACTERS) ?? 0
      sql.exec('DELETE FROM event WHERE seq <= ? AND seq < ?', Math.max(surplus, findOld(), last - MAX_EVENTS), last)
      return last - before
    },

    /** A page of the events after a number. The first event is always included. */
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
    clear(): void {
      sql.exec('DELETE FROM event WHERE seq < (SELECT max(seq) FROM event)')
      sql.exec("UPDATE event SET id = '', body = '', size = 0")
    },
  }
}
