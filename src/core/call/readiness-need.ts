import type { Failure } from '../failure/failure.ts'

/** Who must act before a call can succeed: a person, an administrator or publisher, or the system that the tool calls. */
export type Need = 'person' | 'administrator' | 'upstream'

/** Needs that a caller can do nothing about come first. */
export const NEEDS = ['administrator', 'person', 'upstream'] as const satisfies readonly Need[]

export function findNeed(failure: Failure): Need {
  switch (failure.type) {
    case 'approval-required':
      return 'person'
    case 'requirements-missing':
      return failure.secrets.length > 0 || failure.authorization.some(({ needsSetup }) => needsSetup)
        ? 'administrator'
        : 'person'
    case 'tool-failed':
    case 'unavailable':
      return 'upstream'
    default:
      return 'administrator'
  }
}
