import { type DueTask, isOver, type Task, type TaskChange } from '../../core/task/task.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { createSetAlarm } from '../alarm.ts'
import { withTimeout } from '../reachable-stub.ts'
import { column, firstRow, readField, rows } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `due` is the time of the next run, or null once the task has ended.
 * The text of each part is encrypted.
 */
const TABLES = `
CREATE TABLE task (
  id TEXT PRIMARY KEY, status TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  expires INTEGER NOT NULL, due INTEGER, revision INTEGER NOT NULL
);
CREATE INDEX task_due ON task (due);
CREATE INDEX task_expires ON task (expires);
CREATE TABLE part (
  task TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (task, kind, start)
);
`
const MAX_OPEN = 100
/** Including ended tasks. */
const MAX_TASKS = 10_000
/** Characters stored for one principal before a task is added. The outcomes of open tasks may exceed it. */
const MAX_STORED = 32 * 1024 * 1024
/** Keeps large inputs from filling the memory of an isolate. */
const MAX_RUNNING = 8
/** A SQLite row holds at most 2 MB. */
const PART_CHARACTERS = 1_000_000
/** While tasks run, an alarm is always set, so that they run again after a restart of the object. */
const HEARTBEAT_MS = 10_000
const RETRY_MS = 5_000
/** Longer than a call. A longer run is abandoned, and its task runs again: its call id then finds the outcome. */
const MAX_RUN_MS = 600_000
/** How soon a task's links are checked after a read by the caller. */
const LOOK_MS = 2_000

/** By kind: the tool, the call, a hash of its request, the message, the pending input and the outcome. */
export type SealedParts = Readonly<Record<string, string>>

export type TaskRow = Pick<Task, 'id' | 'status' | 'revision'> & {
  readonly created: number
  readonly updated: number
  readonly expires: number
  readonly due: number | null
}

type RowChange = Pick<TaskChange, 'status' | 'waitMs'> & { readonly parts: SealedParts }

export interface StoredTask {
  readonly row: TaskRow
  readonly parts: SealedParts
}

export type StoredTasks = ReturnType<typeof createStoredTasks>

export function createStoredTasks(
  state: Pick<DurableObjectState, 'storage' | 'waitUntil'>,
  clock: () => number,
  run: (task: DueTask) => Promise<void>,
) {
  const { storage } = state
  const { sql } = storage
  const running = new Set<string>()
  const setAlarm = createSetAlarm(storage)
  openTables(sql, { object: 'Tasks', version: 1, tables: TABLES })

  const find = (id: string) => firstRow<TaskRow>(sql, 'SELECT * FROM task WHERE id = ?', id)
  const countStored = () => readField<number>(sql, 'SELECT coalesce(sum(size), 0) FROM part') ?? 0

  function putPart(id: string, kind: string, text: string): void {
    sql.exec('DELETE FROM part WHERE task = ? AND kind = ?', id, kind)
    for (let start = 0; start < text.length; start += PART_CHARACTERS) {
      const piece = text.slice(start, start + PART_CHARACTERS)
      sql.exec('INSERT INTO part VALUES (?, ?, ?, ?, ?)', id, kind, start, piece.length, piece)
    }
  }

  /** Lists open tasks that are not running, by due time, up to the number that may start now. */
  function listDue(): { id: string; due: number }[] {
    const query = 'SELECT id, due FROM task WHERE due IS NOT NULL ORDER BY due'
    const open = rows<{ id: string; due: number }>(sql, query).filter(({ id }) => !running.has(id))
    return open.slice(0, MAX_RUNNING - running.size)
  }

  async function schedule(): Promise<void> {
    const due = listDue()[0]?.due ?? Infinity
    const expires = readField<number | null>(sql, 'SELECT min(expires) FROM task') ?? Infinity
    const at = Math.min(due, expires + HOUR_MS, running.size > 0 ? clock() + HEARTBEAT_MS : Infinity)
    if (at !== Infinity) await setAlarm(at)
  }

  async function runOne(id: string): Promise<void> {
    try {
      const begin = 'UPDATE task SET revision = revision + 1 WHERE id = ? RETURNING revision'
      const revision = readField<number>(sql, begin, id) ?? 0
      const size = readField<number>(sql, 'SELECT coalesce(sum(size), 0) FROM part WHERE task = ?', id) ?? 0
      await withTimeout(MAX_RUN_MS, 'A task', () => run({ id, revision, size }))
    } catch (error) {
      console.error('Cannot run a task', error)
      sql.exec('UPDATE task SET due = ? WHERE id = ? AND due <= ?', clock() + RETRY_MS, id, clock())
    } finally {
      running.delete(id)
    }
    await schedule()
  }

  function load(id: string, isCaller: boolean): StoredTask | undefined {
    const row = find(id)
    if (!row) return undefined
    const parts: Record<string, string> = {}
    const query = 'SELECT kind, text FROM part WHERE task = ? AND kind <> ? ORDER BY start'
    for (const { kind, text } of rows<{ kind: string; text: string }>(sql, query, id, isCaller ? 'call' : ''))
      parts[kind] = (parts[kind] ?? '') + text
    return { row, parts }
  }

  return {
    /** Returns the stored task if the request is a retry. A task that failed or was canceled is replaced instead. */
    async create(id: string, parts: SealedParts, ttlMs: number) {
      const stored = find(id)
      if (stored && stored.status !== 'failed' && stored.status !== 'cancelled') return load(id, true)
      const open = readField<number>(sql, 'SELECT count(due) FROM task') ?? 0
      const size = Object.values(parts).join('').length
      const all = readField<number>(sql, 'SELECT count(*) FROM task') ?? 0
      if (open >= MAX_OPEN || all >= MAX_TASKS || countStored() + size > MAX_STORED) return undefined
      const now = clock()
      storage.transactionSync(() => {
        // A run of the replaced task writes nothing
        const row = [id, 'working', now, now, now + ttlMs, now, stored ? stored.revision + 1 : 0]
        sql.exec('INSERT OR REPLACE INTO task VALUES (?, ?, ?, ?, ?, ?, ?)', ...row)
        sql.exec('DELETE FROM part WHERE task = ?', id)
        for (const [kind, text] of Object.entries(parts)) putPart(id, kind, text)
      })
      await schedule()
      return load(id, true)
    },

    /** A read by the caller leaves out the call, and causes the links to be checked soon, even if an alarm was lost. */
    async read(id: string, isCaller: boolean) {
      const now = clock()
      const look = `UPDATE task SET due = min(due, ?) WHERE id = ? AND status = 'input_required' AND due < expires
        AND due NOT BETWEEN ? AND ? RETURNING id`
      if (isCaller && column(sql, look, now + LOOK_MS, id, now, now + LOOK_MS).length > 0) await schedule()
      return load(id, isCaller)
    },

    async change(id: string, { status, waitMs, parts }: RowChange, revision?: number): Promise<number | undefined> {
      const row = find(id)
      if (!row || row.due === null || (revision !== undefined && revision !== row.revision)) return undefined
      const isReport = status === undefined && waitMs === undefined
      if (isReport && parts['message'] === undefined) return row.revision
      const next = { ...row, status: status ?? row.status }
      if (!isReport) {
        next.due = isOver(next) ? null : Math.min(row.expires, clock() + (waitMs ?? Infinity))
        next.revision++
      }
      if (status !== undefined || isReport) next.updated = Math.max(clock(), row.updated + 1)
      storage.transactionSync(() => {
        const set = 'UPDATE task SET status = ?, updated = ?, due = ?, revision = ? WHERE id = ?'
        sql.exec(set, next.status, next.updated, next.due, next.revision, id)
        if (isOver(next)) sql.exec("DELETE FROM part WHERE task = ? AND kind NOT IN ('tool', 'request')", id)
        else if (status !== undefined) putPart(id, 'message', '')
        for (const [kind, text] of Object.entries(parts)) putPart(id, kind, text)
      })
      if (!isReport) await schedule()
      return next.revision
    },

    removeAll(): void {
      sql.exec('DELETE FROM task; DELETE FROM part')
    },

    async runDue(): Promise<void> {
      const now = clock()
      for (const id of column<string>(sql, 'DELETE FROM task WHERE expires <= ? RETURNING id', now - HOUR_MS))
        sql.exec('DELETE FROM part WHERE task = ?', id)
      for (const { id, due } of listDue()) {
        if (due > now) break
        running.add(id)
        state.waitUntil(runOne(id))
      }
      await schedule()
    },
  }
}
