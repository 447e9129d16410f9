/** Thrown when something happened that must never happen. */
export class Violation extends Error {}

export function holds(truth: boolean, otherwise: string): asserts truth {
  if (!truth) throw new Violation(otherwise)
}
