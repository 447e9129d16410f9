import type { Background } from '../tool/platform.ts'
import type { JsonObject } from '../tool/json.ts'

/** An act of administration, or a refusal, as it is written down: never a body, a secret or a token. */
export interface Act {
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** What was done, such as `key.create`; `refusal` where a request was not let in. */
  readonly act: string
  /** Who did it, where that is known. */
  readonly principal?: string | undefined
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly method: string
  /** The path of the request, without what only whoever it was sent to may know. */
  readonly path: string
  /** `success`, or the type of a failure. */
  readonly outcome: string
  readonly status: number
  /** Where the request came from, where the platform tells. */
  readonly address?: string | undefined
  /** What it was about: ids and names. */
  readonly about?: JsonObject | undefined
}

export type WriteAct = (act: Act, background: Background) => void

/** Which of what was recorded is meant. What is absent holds for all. */
export interface RecordFilter {
  /** From when until before when, in milliseconds since 1970. */
  readonly since: number
  readonly until: number
  readonly principal?: string
  readonly user_id?: string
  /** `success`, a failure's type, or `failure` for any of them. */
  readonly outcome?: string
}

/** Which acts are meant. */
export interface ActFilter extends RecordFilter {
  readonly act?: string
}
