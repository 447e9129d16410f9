import { stemOf, wordsOf } from '../core/search/words.ts'
import type { Guide } from './docs.ts'

export interface Passage {
  readonly href: string
  readonly guide: string
  readonly title: string
  /** The line that says most of it. */
  readonly excerpt: string
}

const MAX_PASSAGES = 20
const MAX_EXCERPT = 240

/** The sections that have all words of a question, those first that have them in their headings. */
export function searchGuides(guides: readonly Guide[], q: string): readonly Passage[] {
  const terms = [...new Set(wordsOf(q).map(stemOf))]
  if (terms.length === 0) return []
  const found = guides.flatMap((guide) =>
    sectionsOf(guide).flatMap(({ title, text, href }) => {
      const heading = stemsIn(`${guide.title} ${title}`)
      const stems = stemsIn(text)
      if (!terms.every((term) => heading.has(term) || stems.has(term))) return []
      const score = terms.filter((term) => heading.has(term)).length
      return [{ score, passage: { href, guide: guide.title, title, excerpt: excerptOf(text, terms) } }]
    }),
  )
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_PASSAGES)
    .map(({ passage }) => passage)
}

function sectionsOf({ name, title, text, contents }: Guide) {
  const starts = [{ anchor: '', title, at: 0 }, ...contents]
  return starts.map(({ anchor, title, at }, index) => ({
    href: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
    title,
    text: text.slice(at, starts[index + 1]?.at),
  }))
}

const stemsIn = (text: string) => new Set(wordsOf(text).map(stemOf))

/** In plain text, around the line with most of the words. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^(?:#|```|\| ?-)/.test(line))
    .map((line) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*|]/g, ' '))
  const counts = lines.map((line) => {
    const stems = stemsIn(line)
    return terms.filter((term) => stems.has(term)).length
  })
  const at = counts.indexOf(Math.max(...counts))
  return lines
    .slice(at, at + 3)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_EXCERPT)
}
