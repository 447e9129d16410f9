import { distance } from 'fastest-levenshtein'

/** Longer names are not compared with those of a stranger: nobody mistypes them. */
const MAX_NAME = 64

export function nearestOf(name: string, known: readonly string[]): string | undefined {
  return name.length > MAX_NAME ? undefined : nearestFirst(name, known)[0]
}

/** Nearest first. Either name or those known must be short. */
export function nearestFirst(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase()
  const most = name.length === 1 ? 0 : name.length <= 3 ? 1 : Math.max(2, name.length / 3)
  return known
    .filter((each) => Math.abs(each.length - name.length) <= most)
    .map((each) => ({ each, far: distance(wanted, each.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((one, other) => one.far - other.far)
    .map(({ each }) => each)
}
