import type { TaskStatus } from '../../core/task/task.ts'
import type { DueTask } from '../../core/task/task-store.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { createChangeNotifier } from '../changes.ts'
import { column, firstRow, readField, rows } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `due` is when the task is run next, and is null once it has ended;
 * `wait` is by how much that was put off. `message` and the parts are sealed.
 */
const TABLES = `
CREATE TABLE task (
  id TEXT PRIMARY KEY, status TEXT NOT NULL, message TEXT, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  expires INTEGER NOT NULL, due INTEGER, wait INTEGER, revision INTEGER NOT NULL
);
CREATE INDEX task_due ON task (due);
CREATE INDEX task_expires ON task (expires);
CREATE TABLE part (
  task TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (task, kind, start)
);
`
const MAX_OPEN = 100
/** With those that have ended. */
const MAX_TASKS = 10_000
/** Characters of everything that is stored for one principal. */
const MAX_STORED = 32 * 1024 * 1024
/** At once, so that large inputs do not fill the memory of an isolate. */
const MAX_RUNNING = 8
/** A row of SQLite has at most 2 MB. */
const PART_CHARACTERS = 1_000_000
/** While tasks run there is always an alarm, which begins their runs again after a restart. */
const HEARTBEAT_MS = 10_000
const RETRY_MS = 5_000
/** The links of a task are looked at this soon for a caller who asks for it. */
const MIN_LOOK_MS = 2_000

type PartKind = 'call' | 'waiting' | 'outcome'
type Parts = Readonly<Partial<Record<PartKind, string>>>

export type TaskRow = {
  readonly id: string
  readonly status: TaskStatus
  readonly message: string | null
  readonly created: number
  readonly updated: number
  readonly expires: number
  readonly due: number | null
  readonly wait: number | null
  readonly revision: number
}

interface RowChange {
  readonly status?: TaskStatus
  readonly message?: string
  readonly waitMs?: number
  readonly parts: Parts
}

export type StoredTasks = ReturnType<typeof createStoredTasks>

export function createStoredTasks(
  state: Pick<DurableObjectState, 'storage' | 'waitUntil'>,
  clock: () => number,
  run: (task: DueTask) => Promise<void>,
) {
  const { storage } = state
  const { sql } = storage
  const changes = createChangeNotifier()
  const running = new Set<string>()
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

  /** As many as may start now. */
  function listDue(): { id: string; due: number }[] {
    const query = 'SELECT id, due FROM task WHERE due IS NOT NULL ORDER BY due'
    const open = rows<{ id: string; due: number }>(sql, query).filter(({ id }) => !running.has(id))
    return open.slice(0, MAX_RUNNING - running.size)
  }

  async function schedule(): Promise<void> {
    const due = listDue()[0]?.due ?? Infinity
    const expires = readField<number | null>(sql, 'SELECT min(expires) FROM task') ?? Infinity
    const at = Math.min(due, expires + HOUR_MS, running.size > 0 ? clock() + HEARTBEAT_MS : Infinity)
    if (at !== Infinity) await storage.setAlarm(at)
  }

  async function runOne(id: string): Promise<void> {
    sql.exec('UPDATE task SET revision = revision + 1 WHERE id = ?', id)
    const size = readField<number>(sql, 'SELECT coalesce(sum(size), 0) FROM part WHERE task = ?', id) ?? 0
    try {
      await run({ id, revision: find(id)?.revision ?? 0, size })
    } catch (error) {
      console.error('Cannot run a task', error)
      sql.exec('UPDATE task SET due = ? WHERE id = ? AND due <= ?', clock() + RETRY_MS, id, clock())
    }
    running.delete(id)
    await schedule()
  }

  return {
    async create(id: string, call: string, ttlMs: number): Promise<TaskRow | undefined> {
      // A request that nobody had an answer to comes again
      const stored = find(id)
      if (stored) return stored
      const open = readField<number>(sql, 'SELECT count(due) FROM task') ?? 0
      const all = readField<number>(sql, 'SELECT count(*) FROM task') ?? 0
      if (open >= MAX_OPEN || all >= MAX_TASKS || countStored() + call.length > MAX_STORED) return undefined
      const now = clock()
      storage.transactionSync(() => {
        const row = [id, 'working', now, now, now + ttlMs, now]
        sql.exec('INSERT OR IGNORE INTO task VALUES (?, ?, NULL, ?, ?, ?, ?, NULL, 0)', ...row)
        putPart(id, 'call', call)
      })
      await schedule()
      return find(id)
    },

    /** Of a task that waits for a person, a caller also brings forward the next look at its links. */
    async read(id: string, kinds: readonly PartKind[], isCaller: boolean) {
      const row = find(id)
      if (!row) return undefined
      const { due, wait } = row
      const now = clock()
      if (
        isCaller &&
        row.status === 'input_required' &&
        due !== null &&
        wait !== null &&
        due > now &&
        due - wait <= now - MIN_LOOK_MS
      ) {
        sql.exec('UPDATE task SET due = ? WHERE id = ?', now, id)
        await schedule()
      }
      const entries = kinds.map((kind) => {
        const query = 'SELECT text FROM part WHERE task = ? AND kind = ? ORDER BY start'
        return [kind, column<string>(sql, query, id, kind).join('')] as const
      })
      const parts: Parts = Object.fromEntries(entries.filter(([, text]) => text !== ''))
      return { row, parts }
    },

    async change(id: string, { waitMs, parts, ...change }: RowChange, revision?: number): Promise<number | undefined> {
      const row = find(id)
      if (!row || row.due === null || (revision !== undefined && revision !== row.revision)) return undefined
      const isFull = parts.waiting !== undefined && countStored() + parts.waiting.length > MAX_STORED
      const status = isFull ? 'failed' : (change.status ?? row.status)
      const isOpen = status === 'working' || status === 'input_required'
      const now = clock()
      const due = isOpen ? Math.min(row.expires, waitMs === undefined ? row.expires : now + waitMs) : null
      const isUpdate = change.status !== undefined
      const updated = isUpdate ? Math.max(now, row.updated + 1) : row.updated
      const message = isUpdate ? (change.message ?? null) : row.message
      storage.transactionSync(() => {
        const set = 'UPDATE task SET status = ?, message = ?, updated = ?, due = ?, wait = ?, revision = ? WHERE id = ?'
        sql.exec(set, status, message, updated, due, waitMs ?? null, row.revision + 1, id)
        if (!isOpen) sql.exec('DELETE FROM part WHERE task = ?', id)
        for (const [kind, text] of Object.entries(parts)) if (isOpen || kind === 'outcome') putPart(id, kind, text)
      })
      changes.notifyChange(id)
      await schedule()
      return row.revision + 1
    },

    report(id: string, revision: number, message: string): void {
      const set = 'UPDATE task SET message = ?, updated = max(?, updated + 1) WHERE id = ? AND revision = ?'
      sql.exec(`${set} AND due IS NOT NULL`, message, clock(), id, revision)
      changes.notifyChange(id)
    },

    /** Until the task has ended, or has another revision. */
    async wait(id: string, revision: number, timeoutMs: number): Promise<void> {
      const end = clock() + timeoutMs
      for (;;) {
        const row = find(id)
        if (!row || row.due === null || row.revision !== revision) return
        if ((await changes.waitForChange(id, end - clock())) === 'timed-out') return
      }
    },

    removeAll(): void {
      const ids = column<string>(sql, 'DELETE FROM task RETURNING id')
      sql.exec('DELETE FROM part')
      for (const id of ids) changes.notifyChange(id)
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
