import { SwitchboardError } from '../client/index.ts'

export type CliErrorCode =
  | 'usage'
  | 'failed'
  | 'differs'
  | 'refused'
  | 'unavailable'
  | 'incomplete'
  | 'not_compared'
  | 'needs_person'
  | 'needs_administrator'
  | 'upstream_unreachable'

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode
  readonly hint: string | undefined

  constructor(code: CliErrorCode, message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  authorization: 3,
  refused: 4,
  unavailable: 5,
  incomplete: 6,
  needsPerson: 10,
  needsAdministrator: 11,
  upstreamUnreachable: 12,
  interrupted: 130,
} as const

const EXIT_BY_CODE: Readonly<Record<SwitchboardError['code'] | CliErrorCode, number>> = {
  failed: EXIT.failed,
  tool_failed: EXIT.failed,
  internal: EXIT.failed,
  answer_invalid: EXIT.failed,
  differs: EXIT.failed,
  usage: EXIT.usage,
  authorization_required: EXIT.authorization,
  authorization_failed: EXIT.authorization,
  refused: EXIT.refused,
  invalid: EXIT.refused,
  input_invalid: EXIT.refused,
  requirements_missing: EXIT.refused,
  unauthenticated: EXIT.refused,
  forbidden: EXIT.refused,
  not_found: EXIT.refused,
  conflict: EXIT.refused,
  incomplete: EXIT.incomplete,
  not_compared: EXIT.usage,
  rate_limited: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  needs_person: EXIT.needsPerson,
  needs_administrator: EXIT.needsAdministrator,
  upstream_unreachable: EXIT.upstreamUnreachable,
  unreachable: EXIT.unavailable,
  timed_out: EXIT.unavailable,
  cancelled: EXIT.interrupted,
}

export function getExitCode({ code }: SwitchboardError | CliError): number {
  return EXIT_BY_CODE[code]
}

/** Exit code 1 of a comparison means a difference, so an error that prevented the comparison must not use it. */
export function throwNotCompared(error: unknown): never {
  if (error instanceof SwitchboardError && error.code === 'cancelled') throw error
  const hint = error instanceof SwitchboardError ? error.details.developerMessage : undefined
  throw new CliError('not_compared', error instanceof Error ? error.message : String(error), hint)
}
