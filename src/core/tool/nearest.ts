import { distance } from 'fastest-levenshtein'

/** Longer names are not compared with those of a stranger: nobody mistypes them. */
const MAX_NAME = 64

export function findClosest(name: string, candidates: readonly string[]): string | undefined {
  return name.length > MAX_NAME
    ? undefined
    : sortByDistance(candidates, (candidate) => editDistance(name, candidate))[0]
}

/** Without those that are `Infinity` far. */
export function sortByDistance<T>(candidates: readonly T[], measure: (candidate: T) => number): T[] {
  const measured = candidates.map((candidate) => ({ candidate, edits: measure(candidate) }))
  const near = measured.filter(({ edits }) => edits < Infinity).sort((one, other) => one.edits - other.edits)
  return near.map(({ candidate }) => candidate)
}

/** How many letters differ, ignoring case; `Infinity` where too many do. Either name must be short. */
export function editDistance(name: string, other: string): number {
  const maxEdits = name.length === 1 ? 0 : name.length <= 3 ? 1 : Math.max(2, name.length / 3)
  if (Math.abs(other.length - name.length) > maxEdits) return Infinity
  const edits = distance(name.toLowerCase(), other.toLowerCase())
  return edits <= maxEdits ? edits : Infinity
}
