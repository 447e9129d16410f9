/** A question in somebody's own words, and the tools that would answer it, of which one must be found. */
export interface Question {
  readonly q: string
  readonly tools: readonly string[]
}

/** Reads a question a line: its words, then `|` and the tools' ids with a space between. */
export function readQuestions(lines: string): Question[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [q = '', tools = ''] = line.split(' | ')
      return { q, tools: tools.split(' ') }
    })
}
