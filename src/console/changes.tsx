import { Row } from '../http/page/rows.tsx'
import type { TextChange } from '../core/publish/text-changes.ts'

export interface ChangesProps {
  readonly changes: readonly TextChange[]
}

export function Changes({ changes }: ChangesProps) {
  if (changes.length === 0) return <p class="note">No changes for callers or models.</p>
  return (
    <ul class="plain changes">
      {changes.map((change) => (
        <li>
          {change.level === 'major' ? <strong>Breaking: </strong> : undefined}
          {change.what} <code>{change.path}</code>
          <Texts {...change} />
        </li>
      ))}
    </ul>
  )
}

function Texts({ before, after }: TextChange) {
  if (before === undefined && after === undefined) return undefined
  const { start, gone, come, end } = compareWords(before ?? '', after ?? '')
  const texts = [
    { title: 'Before', text: before, changed: gone && <del>{gone}</del> },
    { title: 'After', text: after, changed: come && <ins>{come}</ins> },
  ]
  return (
    <dl class="texts">
      {texts.map(({ title, text, changed }) => (
        <Row term={title} content={text === undefined ? undefined : [start, changed, end]} />
      ))}
    </dl>
  )
}

/** In characters, of the text on each side of a difference. */
const CONTEXT = 300

/** Where two texts differ, from the first word to the last that are not the same, with the context on both sides. */
export function compareWords(before: string, after: string) {
  const [was, is] = [splitWords(before), splitWords(after)]
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

function splitWords(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}
