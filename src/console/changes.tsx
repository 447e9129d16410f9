/** A difference between two versions, as `GET /tools/{id}/versions` tells it. */
export interface ToldChange {
  readonly path: string
  readonly what: string
  readonly level: string
  /** What was said, and what is; neither where it is no text that differs, or too long a one. */
  readonly before?: string
  readonly after?: string
}

/** What differs between two versions, in the order in which it is told: of texts what they were and are. */
export function Changes({ changes }: { changes: readonly ToldChange[] }) {
  if (changes.length === 0) return <p class="note">Nothing that callers or models read has changed.</p>
  return (
    <ul class="plain changes">
      {changes.map((change) => (
        <li>
          {change.level === 'major' ? <strong>Breaks callers: </strong> : undefined}
          {change.what} <code>{change.path}</code>
          <Texts {...change} />
        </li>
      ))}
    </ul>
  )
}

function Texts({ before, after }: ToldChange) {
  if (before === undefined && after === undefined) return undefined
  const { start, gone, come, end } = differenceOf(before ?? '', after ?? '')
  return (
    <dl class="texts">
      {before === undefined ? undefined : (
        <>
          <dt>Was</dt>
          <dd>
            {start}
            {gone === '' ? undefined : <del>{gone}</del>}
            {end}
          </dd>
        </>
      )}
      {after === undefined ? undefined : (
        <>
          <dt>Is</dt>
          <dd>
            {start}
            {come === '' ? undefined : <ins>{come}</ins>}
            {end}
          </dd>
        </>
      )}
    </dl>
  )
}

/** Two texts by what they have in common at both ends. */
interface TextDifference {
  readonly start: string
  /** What is in the first alone, in whole words. */
  readonly gone: string
  /** What is in the second alone. */
  readonly come: string
  readonly end: string
}

/** Of what two texts have in common so many characters are shown beside where they differ. */
const CONTEXT = 300

/** Where two texts differ, from the first word to the last that are not the same. What is far from it is left out, with `…`. */
export function differenceOf(before: string, after: string): TextDifference {
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
