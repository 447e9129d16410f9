/** More than any score: a tool whose name is the question gets it too. */
export const EXACT_NAME = 1e4
/** An answer has so much of the best score, but for names that are the question. */
const LEAST_OF_BEST = 0.35
/** So many different operations are answers whatever their scores, of so many results, each of which is looked up. */
export const MIN_OPERATIONS = 5
export const MAX_LOOKED_UP = 25

/** How many of these scores, the best first, are those of answers. */
export function countAnswers(scores: readonly number[]): number {
  const best = scores.find((score) => score < EXACT_NAME) ?? 0
  const end = scores.findIndex((score) => score < LEAST_OF_BEST * best)
  return end === -1 ? scores.length : end
}
