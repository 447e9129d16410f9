import { fnv1a } from './tool-id.ts'

/** The revisions that a change is meant for (`If-Match`), or `*` for any. */
export type Expected = readonly string[] | '*'

export function revisionOf(stored: object | string): string {
  const text = typeof stored === 'string' ? stored : JSON.stringify(stored)
  return fnv1a(text) + fnv1a(`${text.length}${text}`)
}

export function isExpected(stored: object | string | undefined, expected: Expected | undefined): boolean {
  if (expected === undefined) return true
  return stored !== undefined && (expected === '*' || expected.includes(revisionOf(stored)))
}
