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
  const { start, gone: removed, come: added, end } = compareWords(before ?? '', after ?? '')
  const texts = [
    { title: 'Before', text: before, changed: removed && <del>{removed}</del> },
    { title: 'After', text: after, changed: added && <ins>{added}</ins> },
  ]
  return (
    <dl class="texts">
      {texts.map(({ title, text, changed }) => (
        <Row term={title} content={text === undefined ? undefined : [start, changed, end]} />
      ))}
    </dl>
  )
}

/** The context on each side of a difference. */
const MAX_CONTEXT_CHARACTERS = 300

/** Finds the difference between two texts, from the first to the last word that differs, with context on both sides. */
export function compareWords(before: string, after: string) {
  const [oldWords, newWords] = [splitWords(before), splitWords(after)]
  const shorter = Math.min(oldWords.length, newWords.length)
  let first = 0
  while (first < shorter && oldWords[first] === newWords[first]) first += 1
  let last = 0
  while (last < shorter - first && oldWords.at(-1 - last) === newWords.at(-1 - last)) last += 1
  const between = (words: readonly string[]) => words.slice(first, words.length - last).join('')
  const start = oldWords.slice(0, first).join('')
  const end = oldWords.slice(oldWords.length - last).join('')
  return {
    start: start.length <= MAX_CONTEXT_CHARACTERS ? start : `…${start.slice(-MAX_CONTEXT_CHARACTERS)}`,
    gone: between(oldWords),
    come: between(newWords),
    end: end.length <= MAX_CONTEXT_CHARACTERS ? end : `${end.slice(0, MAX_CONTEXT_CHARACTERS)}…`,
  }
}

function splitWords(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}
