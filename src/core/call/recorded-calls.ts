import type { AuditEvent, AuditFilter, RecordFilter } from '../access/audit-entry.ts'
import type { CallContent } from './call-content.ts'
import type { CallRecord } from './call-record.ts'

export type RecordingMode = 'all' | 'failures' | 'none'

export interface CallFilter extends RecordFilter {
  readonly call_id?: string
  readonly tool?: string
  readonly dialect?: string
  readonly own?: { readonly principal: string; readonly user?: string }
}

export interface RecordPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

export const USAGE_KEYS = ['principal', 'user_id', 'tool', 'toolkit', 'outcome', 'dialect', 'hour', 'day'] as const
export type UsageKey = (typeof USAGE_KEYS)[number]

/** Quantiles are accurate to within a tenth. */
export interface Usage {
  /** For `hour` and `day`, the start of the period (ISO 8601, UTC). */
  readonly group: Readonly<Partial<Record<UsageKey, string>>>
  readonly calls: number
  readonly failures: number
  /** Calls that wait for a person, which are not failures. */
  readonly waiting: number
  readonly mean_ms: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
}

export interface UsageReport {
  readonly items: readonly Usage[]
  readonly lost: number
}

export interface CallMetrics {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly calls: readonly {
    readonly toolkit: string
    readonly tool?: string
    readonly outcome: string
    readonly calls: number
  }[]
  readonly durations: readonly {
    readonly toolkit: string
    readonly seconds: number
    readonly calls: number
    readonly atMost: readonly { readonly seconds: number; readonly calls: number }[]
  }[]
  readonly lost: number
}

/** Every method throws `UnreachableError` while the records cannot be read. */
export interface RecordReader {
  /** Returns undefined if the cursor is from another query. */
  calls(filter: CallFilter, limit: number, cursor?: string): Promise<RecordPage<CallRecord> | undefined>
  /** Finds the newest. */
  findCall(filter: CallFilter): Promise<CallRecord | undefined>
  /** Returns undefined if it was not recorded for this owner, or too long ago. */
  findContent(owner: string, record: CallRecord): Promise<CallContent | undefined>
  auditEvents(filter: AuditFilter, limit: number, cursor?: string): Promise<RecordPage<AuditEvent> | undefined>
  /** Counts whole hours. Returns undefined if there are too many groups. */
  usage(filter: CallFilter, by: readonly UsageKey[]): Promise<UsageReport | undefined>
  metrics(): Promise<CallMetrics>
}
