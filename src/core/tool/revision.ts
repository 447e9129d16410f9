import { fnv1a } from './name-suffix.ts'

/** The revisions of a thing that a change is meant for (`If-Match`), or `*` for whichever there is. */
export type Expected = readonly string[] | '*'

/** The revision of a thing, by its JSON as it is stored: a change of anything in it makes another. */
export function revisionOf(stored: object | string): string {
  const text = typeof stored === 'string' ? stored : JSON.stringify(stored)
  return fnv1a(text) + fnv1a(`${text.length}${text}`)
}

/** Whether a thing is as a change expects it; one that is not there never is, where anything is expected. */
export function isExpected(stored: object | string | undefined, expected: Expected | undefined): boolean {
  if (expected === undefined) return true
  return stored !== undefined && (expected === '*' || expected.includes(revisionOf(stored)))
}
