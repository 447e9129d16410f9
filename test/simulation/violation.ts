/** What must never happen did. */
export class Violation extends Error {}

export function holds(truth: boolean, otherwise: string): asserts truth {
  if (!truth) throw new Violation(otherwise)
}
