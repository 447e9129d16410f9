/** Two texts by what they have in common at both ends. */
export interface Apart {
  readonly start: string
  /** What is in the first alone, in whole words. */
  readonly gone: string
  /** What is in the second alone. */
  readonly come: string
  readonly end: string
}

/** Of what two texts have in common so many characters are shown beside where they differ. */
const CONTEXT = 300

/** Where two texts differ: all between the first word and the last that are not the same. What is far from it is left out, with `…`. */
export function apartOf(before: string, after: string): Apart {
  const [was, is] = [wordsOf(before), wordsOf(after)]
  const shorter = Math.min(was.length, is.length)
  let first = 0
  while (first < shorter && was[first] === is[first]) first += 1
  let last = 0
  while (last < shorter - first && was.at(-1 - last) === is.at(-1 - last)) last += 1
  const between = (words: readonly string[]) => words.slice(first, words.length - last).join('')
  const start = was.slice(0, first).join('')
  const end = was.slice(was.length - last).join('')
  return {
    start: start.length <= CONTEXT ? start : `…${start.slice(-CONTEXT)}`,
    gone: between(was),
    come: between(is),
    end: end.length <= CONTEXT ? end : `${end.slice(0, CONTEXT)}…`,
  }
}

/** Words and what stands between them: together they are the text. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}
