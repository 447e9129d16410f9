import { DurableObject } from 'cloudflare:workers'
import type { Act } from '../../core/access/act.ts'
import type { HostNews } from '../../core/call/host-news.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { CallFilter, RecordedCalls, UsageKey } from '../../core/call/records.ts'
import { field } from '../rows.ts'
import { HOUR_MS, DAY_MS } from '../../core/tool/time.ts'
import { archiveSome } from './archive.ts'
import { dayOf } from './days.ts'
import { countCalls, countDay, type DayRows, type FigureRow, storeFigures } from './figures.ts'
import { findHosts, type HostRow, storeHost } from './host-rows.ts'
import { findRecords, type RecordKinds, storeAct, storeCalls } from './rows.ts'
import { createTables, hasTables } from './tables.ts'

/** What one isolate has to record of one day, such as `2026-01-31`. `lost` says how much could not be, earlier. */
export interface RecordBatch {
  /** No other batch's: one that comes twice is taken in once. */
  readonly id: string
  readonly day: string
  readonly calls: readonly CallRecord[]
  readonly acts: readonly Act[]
  /** Absent where an isolate of an earlier version tells. */
  readonly hosts?: readonly HostNews[]
  /** Which calls are to have a row; all, where an isolate of an earlier version tells. */
  readonly keep?: Exclude<RecordedCalls, 'none'>
  readonly lost: number
}

export interface RecordsBindings {
  readonly ARTIFACTS?: R2Bucket
}

/** For so long a day's records can be read, in milliseconds. */
export const KEPT_MS = 30 * DAY_MS
/** So many rows a day: what comes after is counted, and has no row. They take some 3 GB of the 10 that an object has. */
const MAX_ROWS = 5_000_000
/** So many batches are known again: more than come while one is sent twice. */
const KNOWN_BATCHES = 10_000

/**
 * The Records Durable Object, of which each day (UTC) has one, named by its date: the calls that were made on it, and the acts of administration. What is only
 * asked about a day stores nothing. It goes 30 days after its day, of itself: to the bucket, where there is one.
 */
export class Records extends DurableObject<RecordsBindings> {
  readonly #sql: SqlStorage
  #isReady: boolean

  constructor(state: DurableObjectState, env: RecordsBindings) {
    super(state, env)
    this.#sql = state.storage.sql
    this.#isReady = hasTables(this.#sql)
    // What an earlier version stored lacks some
    if (this.#isReady) createTables(this.#sql)
  }

  async append({ id, day, calls, acts, hosts = [], keep = 'all', lost }: RecordBatch): Promise<void> {
    if (!this.#isReady) {
      createTables(this.#sql)
      this.#sql.exec(`INSERT INTO meta VALUES ('day', ?)`, Date.parse(day))
      this.#isReady = true
      await this.ctx.storage.setAlarm(Date.parse(day) + DAY_MS + KEPT_MS)
    }
    this.ctx.storage.transactionSync(() => {
      if (this.#sql.exec('INSERT OR IGNORE INTO batch (name) VALUES (?)', id).rowsWritten === 0) return
      this.#sql.exec('DELETE FROM batch WHERE id <= last_insert_rowid() - ?', KNOWN_BATCHES)
      for (const act of acts) storeAct(this.#sql, act)
      for (const news of hosts) storeHost(this.#sql, news)
      if (calls.length > 0) storeFigures(this.#sql, calls)
      const rows = field<number | null>(this.#sql, 'SELECT max(id) FROM call') ?? 0
      const wanted = calls.filter(({ outcome }) => keep === 'all' || outcome !== 'success')
      const stored = wanted.slice(0, Math.max(0, MAX_ROWS - rows))
      if (stored.length > 0) storeCalls(this.#sql, stored)
      const gone = lost + wanted.length - stored.length
      if (gone > 0) this.#add('lost', gone)
    })
  }

  /** The calls or the acts that a filter means, newest first, from before a row on, serialised. */
  find<Kind extends keyof RecordKinds>(
    kind: Kind,
    filter: RecordKinds[Kind],
    limit: number,
    before?: number,
  ): { readonly id: number; readonly record: string }[] {
    return this.#isReady ? findRecords(this.#sql, kind, filter, { before, limit }) : []
  }

  /** The calls that a filter means, counted; `rows` is undefined where there are more than one answer holds. */
  figures(
    filter: CallFilter,
    by: readonly UsageKey[],
  ): { readonly rows: FigureRow[] | undefined; readonly lost: number } {
    if (!this.#isReady) return { rows: [], lost: 0 }
    return { rows: countCalls(this.#sql, filter, by), lost: this.#lost() }
  }

  /** All of the day's calls, and what was told of hosts, for time series. */
  counted(): DayRows & { readonly hosts: readonly HostRow[]; readonly lost: number } {
    if (!this.#isReady) return { calls: [], durations: [], hosts: [], lost: 0 }
    return { ...countDay(this.#sql), hosts: findHosts(this.#sql), lost: this.#lost() }
  }

  /** The day is over by 30 days: it goes to the bucket, where there is one, a part at a time, and then for good. */
  override async alarm(): Promise<void> {
    const day = field<number>(this.#sql, `SELECT value FROM meta WHERE name = 'day'`) ?? 0
    try {
      if (this.env.ARTIFACTS && !(await archiveSome(this.#sql, this.env.ARTIFACTS, dayOf(day)))) {
        return await this.ctx.storage.setAlarm(Date.now())
      }
    } catch (error) {
      // The platform tries an alarm that throws a few times only, and what was recorded would stay for ever
      console.error(JSON.stringify({ event: 'defect', at: 'records-archive', error: String(error) }))
      return await this.ctx.storage.setAlarm(Date.now() + HOUR_MS)
    }
    await this.ctx.storage.deleteAll()
    this.#isReady = false
  }

  #lost(): number {
    return field<number>(this.#sql, `SELECT value FROM meta WHERE name = 'lost'`) ?? 0
  }

  #add(name: string, count: number): void {
    const sum = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value'
    this.#sql.exec(sum, name, count)
  }
}
