import { DurableObject } from 'cloudflare:workers'
import type { AuditEvent, AuditFilter } from '../../core/access/audit-entry.ts'
import type { CallFilter, UsageKey } from '../../core/call/recorded-calls.ts'
import { createSetAlarm } from '../alarm.ts'
import { rows } from '../rows.ts'
import { hasTables } from '../schema.ts'
import { HOUR_MS, DAY_MS } from '../../core/tool/time.ts'
import type { CallGroup } from './call-groups.ts'
import { findCalls, type NumberedRecord, storeCalls } from './call-rows.ts'
import { buildCondition } from './condition.ts'
import { findContent, type SealedContent, storeContents } from './contents.ts'
import { formatDay } from './days.ts'
import { countCalls, countDay, type DayRows, type FigureRow, storeFigures } from './figures.ts'
import { moveOldRecords } from './move-to-bucket.ts'
import { addToMeta, createTables, insertAll, readMeta } from './tables.ts'

/** `day` is like `2026-01-31`. `lost` counts earlier records that could not be stored. */
export interface RecordBatch {
  /** Batches with the same id are stored once. */
  readonly id: string
  readonly day: string
  /** At most SPAN calls in all. */
  readonly calls: readonly CallGroup[]
  readonly acts: readonly AuditEvent[]
  readonly lost: number
  readonly contents?: readonly SealedContent[]
}

type RecordsBindings = { readonly ARTIFACTS?: R2Bucket }

export const KEPT_MS = 30 * DAY_MS
/** Further calls are counted but not recorded. This many take some 3 GB of an object's 10 GB. */
const MAX_CALLS = 5_000_000
/** Applies from half of `MAX_CALLS` on, so that one principal leaves room for the calls of others. */
const MAX_CALLS_OF_PRINCIPAL = 500_000
/** More batches than arrive between a batch and its retry. */
const KNOWN_BATCHES = 10_000

/**
 * Stores the records of one day (UTC), by which the object is named. Reads store nothing. After 30 days, the records move to
 * the bucket, if there is one, and are deleted here. The contents of calls are deleted earlier and never move.
 */
export class Records extends DurableObject<RecordsBindings> {
  readonly #sql: SqlStorage
  readonly #setAlarm = createSetAlarm(this.ctx.storage)
  #isReady: boolean

  constructor(state: DurableObjectState, env: RecordsBindings) {
    super(state, env)
    this.#sql = state.storage.sql
    this.#isReady = hasTables(this.#sql)
    if (this.#isReady) createTables(this.#sql)
  }

  async append({ id, day, calls, acts, lost, contents = [] }: RecordBatch): Promise<void> {
    if (!this.#isReady) {
      createTables(this.#sql)
      this.#sql.exec(`INSERT INTO meta VALUES ('day', ?)`, Date.parse(day))
      this.#isReady = true
      await this.#setAlarm(Date.parse(day) + DAY_MS + KEPT_MS)
    }
    const contentEnd = Math.min(...contents.map(({ until }) => until))
    if (contents.length > 0 && contentEnd < ((await this.ctx.storage.getAlarm()) ?? Infinity))
      await this.#setAlarm(contentEnd)
    this.ctx.storage.transactionSync(() => {
      if (this.#sql.exec('INSERT OR IGNORE INTO batch (name) VALUES (?)', id).rowsWritten === 0) return
      this.#sql.exec('DELETE FROM batch WHERE id <= last_insert_rowid() - ?', KNOWN_BATCHES)
      const rows = acts.map((event) => [
        event.at,
        event.act,
        event.principal,
        event.user_id,
        event.outcome,
        JSON.stringify(event),
      ])
      insertAll(this.#sql, 'act (at, act, principal, user_id, outcome, record)', rows)
      addToMeta(this.#sql, 'lost', lost + this.#store(calls))
      storeContents(this.#sql, contents)
    })
  }

  /** Stores all or none of each principal's calls. Returns how many are not stored because there is no room. */
  #store(groups: readonly CallGroup[]): number {
    storeFigures(this.#sql, groups)
    const storedGroups: CallGroup[] = []
    let lost = 0
    for (const [principal, callsOfPrincipal] of Map.groupBy(groups, ({ shared }) => shared.principal)) {
      const count = callsOfPrincipal.flatMap(({ rows }) => rows).reduce((sum, { calls }) => sum + calls, 0)
      const principalMeta = `calls of ${principal}`
      const total = readMeta(this.#sql, 'calls') + count
      const hasRoom = total <= MAX_CALLS / 2 || readMeta(this.#sql, principalMeta) + count <= MAX_CALLS_OF_PRINCIPAL
      if (total > MAX_CALLS || !hasRoom) {
        lost += count
        continue
      }
      storedGroups.push(...callsOfPrincipal)
      for (const name of ['calls', principalMeta]) addToMeta(this.#sql, name, count)
    }
    storeCalls(this.#sql, storedGroups)
    return lost
  }

  calls(filter: CallFilter, limit: number, before = Number.MAX_SAFE_INTEGER): NumberedRecord[] {
    return this.#isReady ? findCalls(this.#sql, filter, limit, before) : []
  }

  content(owner: string, callId: string, at: number): string | undefined {
    return this.#isReady ? findContent(this.#sql, owner, callId, at) : undefined
  }

  acts(filter: AuditFilter, limit: number, before = Number.MAX_SAFE_INTEGER): NumberedRecord[] {
    if (!this.#isReady) return []
    const { text, values } = buildCondition(this.#sql, filter, 'acts')
    const query = `SELECT id, record FROM act WHERE id < ? AND ${text} ORDER BY id DESC LIMIT ?`
    return rows<NumberedRecord>(this.#sql, query, before, ...values, limit)
  }

  figures(filter: CallFilter, by: readonly UsageKey[]): { rows: FigureRow[] | undefined; lost: number } {
    if (!this.#isReady) return { rows: [], lost: 0 }
    return { rows: countCalls(this.#sql, filter, by), lost: readMeta(this.#sql, 'lost') }
  }

  counted(): DayRows & { readonly lost: number } {
    if (!this.#isReady) return { calls: [], durations: [], lost: 0 }
    return { ...countDay(this.#sql), lost: readMeta(this.#sql, 'lost') }
  }

  override async alarm(): Promise<void> {
    const day = readMeta(this.#sql, 'day')
    this.#sql.exec('DELETE FROM content')
    if (Date.now() < day + DAY_MS + KEPT_MS) return await this.#setAlarm(day + DAY_MS + KEPT_MS)
    try {
      if (this.env.ARTIFACTS && !(await moveOldRecords(this.#sql, this.env.ARTIFACTS, formatDay(day))))
        return await this.#setAlarm(Date.now())
    } catch (error) {
      // The platform retries a failed alarm only a few times, and the records would stay forever
      console.error(JSON.stringify({ event: 'defect', at: 'old-records', error: String(error) }))
      return await this.#setAlarm(Date.now() + HOUR_MS)
    }
    await this.ctx.storage.deleteAll()
    this.#isReady = false
  }
}
