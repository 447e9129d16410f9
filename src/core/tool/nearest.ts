import { distance } from 'fastest-levenshtein'

/** Longer names are not compared with those of a stranger: nobody mistypes them. */
const MAX_NAME = 64

export function findClosest(name: string, known: readonly string[]): string | undefined {
  return name.length > MAX_NAME ? undefined : sortByDistance(known, (each) => editDistance(name, each))[0]
}

/** Without those that are `Infinity` far. */
export function sortByDistance<T>(known: readonly T[], measureDistance: (one: T) => number): T[] {
  const all = known.map((each) => ({ each, far: measureDistance(each) }))
  const near = all.filter(({ far }) => far < Infinity).sort((one, other) => one.far - other.far)
  return near.map(({ each }) => each)
}

/** How many letters differ, ignoring case; `Infinity` where too many do. Either name must be short. */
export function editDistance(name: string, other: string): number {
  const most = name.length === 1 ? 0 : name.length <= 3 ? 1 : Math.max(2, name.length / 3)
  if (Math.abs(other.length - name.length) > most) return Infinity
  const far = distance(name.toLowerCase(), other.toLowerCase())
  return far <= most ? far : Infinity
}
