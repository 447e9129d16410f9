/** Larger than any score. It is added to the score of a tool whose name is the question. */
export const EXACT_NAME = 1e4
/** An answer has at least this share of the best score, not counting tools whose name is the question. */
const LEAST_OF_BEST = 0.35
/** The first `MIN_OPERATIONS` operations are answers whatever their scores. At most `MAX_LOOKED_UP` results are read. */
export const MIN_OPERATIONS = 5
export const MAX_LOOKED_UP = 25

/** Counts the answers among these scores, which are sorted from best to worst. */
export function countAnswers(scores: readonly number[]): number {
  const best = scores.find((score) => score < EXACT_NAME) ?? 0
  const end = scores.findIndex((score) => score < LEAST_OF_BEST * best)
  return end === -1 ? scores.length : end
}
