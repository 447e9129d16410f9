import { DurableObject } from 'cloudflare:workers'
import type { Act } from '../../core/access/act.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { CallFilter, UsageKey } from '../../core/call/records.ts'
import { field } from '../rows.ts'
import { countCalls, type FigureRow, findRecords, type RecordKinds, storeAct, storeCall } from './call-rows.ts'
import { DAY_MS, dayOf } from './days.ts'
import { archive } from './archive.ts'
import { createTables, hasTables } from './tables.ts'

/** What one isolate has to record of one day, such as `2026-01-31`. `lost` says how much could not be, earlier. */
export interface RecordBatch {
  readonly day: string
  readonly calls: readonly CallRecord[]
  readonly acts: readonly Act[]
  readonly lost: number
}

export interface RecordsBindings {
  readonly ARTIFACTS?: R2Bucket
}

/** For so long a day's records can be read, in milliseconds. */
export const KEPT_MS = 30 * DAY_MS
/** So many rows a day: what comes after is counted as lost. They take some 3 GB of the 10 that an object has. */
const MAX_ROWS = 5_000_000
/** What one answer holds at most. */
const MAX_FIGURES = 50_000

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
  }

  async append({ day, calls, acts, lost }: RecordBatch): Promise<void> {
    if (!this.#isReady) {
      createTables(this.#sql)
      this.#sql.exec(`INSERT INTO meta VALUES ('day', ?)`, Date.parse(day))
      this.#isReady = true
      await this.ctx.storage.setAlarm(Date.parse(day) + DAY_MS + KEPT_MS)
    }
    this.ctx.storage.transactionSync(() => {
      for (const act of acts) storeAct(this.#sql, act)
      const rows = field<number | null>(this.#sql, 'SELECT max(id) FROM call') ?? 0
      const room = Math.max(0, MAX_ROWS - rows)
      for (const record of calls.slice(0, room)) storeCall(this.#sql, record)
      const gone = lost + Math.max(0, calls.length - room)
      if (gone === 0) return
      this.#sql.exec(
        `INSERT INTO meta VALUES ('lost', ?) ON CONFLICT DO UPDATE SET value = value + excluded.value`,
        gone,
      )
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
    const rows = countCalls(this.#sql, filter, by, MAX_FIGURES + 1)
    const lost = field<number>(this.#sql, `SELECT value FROM meta WHERE name = 'lost'`) ?? 0
    return { rows: rows.length > MAX_FIGURES ? undefined : rows, lost }
  }

  override async alarm(): Promise<void> {
    const day = field<number>(this.#sql, `SELECT value FROM meta WHERE name = 'day'`) ?? 0
    if (this.env.ARTIFACTS) await archive(this.#sql, this.env.ARTIFACTS, dayOf(day))
    await this.ctx.storage.deleteAll()
    this.#isReady = false
  }
}
