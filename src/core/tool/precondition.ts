import { fnv1a } from './tool-id.ts'

/** The revisions that a change is meant for (`If-Match`), or `*` for any. */
export type Precondition = readonly string[] | '*'

/** Results of changes that a store makes only if the precondition holds. */
export type PutResult = 'created' | 'replaced' | 'precondition-failed'
export type RemoveResult = 'removed' | 'not-found' | 'precondition-failed'

export function computeRevision(stored: object | string): string {
  const text = typeof stored === 'string' ? stored : JSON.stringify(stored)
  return fnv1a(text) + fnv1a(`${text.length}${text}`)
}

export function matchesPrecondition(
  stored: object | string | undefined,
  precondition: Precondition | undefined,
): boolean {
  if (precondition === undefined) return true
  return stored !== undefined && (precondition === '*' || precondition.includes(computeRevision(stored)))
}
