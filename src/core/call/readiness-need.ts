import type { Failure } from '../failure/failure.ts'

/** Who must act before a call can succeed: a person, an administrator or publisher, or the system that the tool calls. */
export type Need = 'person' | 'administrator' | 'upstream'

/** What a caller can do nothing about comes first. */
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
