import { stemOf, wordsOf } from '../core/search/words.ts'
import type { Guide } from './docs.ts'

/** A part of the docs that can be found, and its text in Markdown. */
export interface DocsSection {
  readonly href: string
  readonly guide: string
  readonly title: string
  readonly text: string
}

const MAX_FOUND = 20
const MAX_EXCERPT = 240

/** The sections that have all words of a question, those first that have them in their headings. */
export function searchDocs(sections: readonly DocsSection[], q: string) {
  const terms = [...new Set(wordsOf(q).map(stemOf))]
  if (terms.length === 0) return []
  const found = sections.flatMap(({ text, ...section }) => {
    const heading = stemsIn(`${section.guide} ${section.title}`)
    const stems = stemsIn(text)
    if (!terms.every((term) => heading.has(term) || stems.has(term))) return []
    const score = terms.filter((term) => heading.has(term)).length
    return [{ score, section: { ...section, excerpt: excerptOf(text, terms) } }]
  })
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ section }) => section)
}

export function sectionsOf({ name, title: guide, text, contents }: Guide): readonly DocsSection[] {
  const starts = [{ anchor: '', title: guide, at: 0 }, ...contents]
  return starts.map(({ anchor, title, at }, index) => ({
    href: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
    guide,
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
