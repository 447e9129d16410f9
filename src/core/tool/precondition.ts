import { fnv1a } from './tool-id.ts'

/** The revisions that a change is meant for (`If-Match`), or `*` for any. */
export type Precondition = readonly string[] | '*'

/** Results of changes that a store makes only if the precondition holds. */
export type PutResult = 'created' | 'replaced' | 'precondition-failed'
export type RemoveResult = 'removed' | 'not-found' | 'precondition-failed'

/** Stores settings that an administrator replaces as a whole, such as providers. */
export interface SettingStore<T> {
  find(id: string): Promise<T | undefined>
  /** Finds the newest version, which `find` may not see yet. */
  findNewest(id: string): Promise<T | undefined>
  list(): Promise<readonly T[]>
  put(setting: T, precondition?: Precondition): Promise<PutResult>
  remove(id: string, precondition?: Precondition): Promise<RemoveResult>
}

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
