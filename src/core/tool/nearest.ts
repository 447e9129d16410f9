import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because nobody mistypes them. */
const MAX_NAME = 64

export function findClosest(name: string, candidates: readonly string[]): string | undefined {
  return name.length > MAX_NAME
    ? undefined
    : sortByDistance(candidates, (candidate) => editDistance(name, candidate))[0]
}

/** Sorts candidates by distance, without those at distance `Infinity`. */
export function sortByDistance<T>(candidates: readonly T[], measure: (candidate: T) => number): T[] {
  const measured = candidates.map((candidate) => ({ candidate, edits: measure(candidate) }))
  const near = measured.filter(({ edits }) => edits < Infinity).sort((one, other) => one.edits - other.edits)
  return near.map(({ candidate }) => candidate)
}

/** Counts the letters that differ, ignoring case; `Infinity` if too many do. At least one name must be short. */
export function editDistance(name: string, other: string): number {
  const maxEdits = name.length === 1 ? 0 : name.length <= 3 ? 1 : Math.max(2, name.length / 3)
  if (Math.abs(other.length - name.length) > maxEdits) return Infinity
  const edits = distance(name.toLowerCase(), other.toLowerCase())
  return edits <= maxEdits ? edits : Infinity
}
