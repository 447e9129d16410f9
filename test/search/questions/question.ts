/** A question in somebody's own words, and the tools that would answer it, of which one must be found. */
export interface Question {
  readonly q: string
  readonly tools: readonly string[]
}

export const question = (q: string, ...tools: readonly string[]): Question => ({ q, tools })
