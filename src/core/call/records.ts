import type { Act, ActFilter, RecordFilter } from '../access/act.ts'
import type { CallRecord } from './record.ts'

/** Which calls have a record each: with `none` they are not even counted, else all are. */
export type RecordedCalls = 'all' | 'failures' | 'none'

/** Which calls are meant. */
export interface CallFilter extends RecordFilter {
  /** A tool's name or a pattern such as `Gmail.*`, or a version's id. */
  readonly tool?: string
  readonly dialect?: string
  /** Whose calls alone may be seen: those that a principal made, or that were made for a user. */
  readonly own?: { readonly principal: string; readonly user?: string }
}

/** One page of what was recorded, newest first. */
export interface RecordPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** What calls can be counted by. */
export const USAGE_KEYS = ['principal', 'user_id', 'tool', 'toolkit', 'outcome', 'dialect', 'hour', 'day'] as const
export type UsageKey = (typeof USAGE_KEYS)[number]

/** So many calls, and how long they took. The quantiles are right within a tenth. */
export interface Usage {
  /** What they have in common: by `hour` and `day`, its beginning (ISO 8601, UTC). */
  readonly group: Readonly<Partial<Record<UsageKey, string>>>
  readonly calls: number
  readonly failures: number
  readonly mean_ms: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
}

export interface UsageReport {
  readonly items: readonly Usage[]
  /** Calls that were made and could not be recorded. */
  readonly lost: number
}

/** How many calls took how long, in the words of a time series: today's, as counters that begin anew at midnight (UTC). */
export interface Counted {
  /** The beginning of the day, in milliseconds since 1970. */
  readonly since: number
  readonly calls: readonly {
    readonly toolkit: string
    /** Absent where there are too many tools to tell apart. */
    readonly tool?: string
    readonly outcome: string
    readonly calls: number
  }[]
  readonly durations: readonly {
    readonly toolkit: string
    readonly seconds: number
    readonly calls: number
    /** How many took at most so many seconds. */
    readonly atMost: readonly { readonly seconds: number; readonly calls: number }[]
  }[]
  readonly lost: number
}

/** What was recorded. Each throws `Unreachable` while the records cannot be read. */
export interface Records {
  /** Undefined for a cursor that is none of this query's. */
  calls(filter: CallFilter, limit: number, cursor?: string): Promise<RecordPage<CallRecord> | undefined>
  acts(filter: ActFilter, limit: number, cursor?: string): Promise<RecordPage<Act> | undefined>
  /** Undefined where there are too many groups to tell. Whole hours are counted. */
  usage(filter: CallFilter, by: readonly UsageKey[]): Promise<UsageReport | undefined>
  counted(): Promise<Counted>
}
