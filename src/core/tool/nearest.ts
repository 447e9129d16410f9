import { distance } from 'fastest-levenshtein'

/** Longer names are not compared: nobody mistypes them. */
const MAX_NAME = 64

export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined
  const wanted = name.toLowerCase()
  let nearest: string | undefined
  let least = name.length === 1 ? 1 : name.length <= 3 ? 2 : Math.max(3, name.length / 3 + 1)
  for (const each of known) {
    const far = distance(wanted, each.toLowerCase())
    if (far < least) [nearest, least] = [each, far]
  }
  return nearest
}
