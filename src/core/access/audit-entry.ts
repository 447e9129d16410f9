import type { Background } from '../tool/platform.ts'
import type { JsonObject } from '../tool/json.ts'

/** A recorded act of administration, or a refusal: never with a body, a secret or a token. */
export interface AuditEntry {
  readonly at: number
  readonly act: string
  readonly principal?: string | undefined
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly method: string
  readonly path: string
  readonly outcome: string
  readonly status: number
  readonly address?: string | undefined
  readonly about?: JsonObject | undefined
}

export type WriteAuditEntry = (act: AuditEntry, background: Background) => void

export interface RecordFilter {
  /** Milliseconds since 1970; `until` itself is not included. */
  readonly since: number
  readonly until: number
  readonly principal?: string
  readonly user_id?: string
  readonly outcome?: string
}

export interface AuditFilter extends RecordFilter {
  readonly act?: string
}
