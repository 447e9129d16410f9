import { stemWord, stemText, splitWords } from '../core/search/words.ts'
import type { Guide } from './docs.ts'

/** A part of the docs that can be found, and its text in Markdown. */
export interface DocsSection {
  readonly href: string
  readonly guide: string
  readonly title: string
  readonly text: string
}

const MAX_RESULTS = 20
const MAX_EXCERPT_CHARACTERS = 240

/** The sections that have all words of a question, those first that have them in their headings. */
export function searchDocs(sections: readonly DocsSection[], q: string) {
  const terms = [...new Set(splitWords(q).map(stemWord))]
  if (terms.length === 0) return []
  const results = sections.flatMap((section) => {
    const inHeading = findTerms(`${section.guide} ${section.title}`, terms)
    const inText = findTerms(section.text, terms)
    return terms.every((term) => inHeading.includes(term) || inText.includes(term))
      ? [{ score: inHeading.length, section }]
      : []
  })
  return results
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ section: { text, ...section } }) => ({ ...section, excerpt: findExcerpt(text, terms) }))
}

const stemsByText = new Map<string, string>()

/** For texts of the docs alone, whose stems are made once. */
function findTerms(text: string, terms: readonly string[]): readonly string[] {
  const stems = stemsByText.get(text) ?? ` ${stemText(text)} `
  stemsByText.set(text, stems)
  return terms.filter((term) => stems.includes(` ${term} `))
}

export function splitSections({ name, title: guide, text, contents }: Guide): readonly DocsSection[] {
  const starts = [{ anchor: '', title: guide, at: 0 }, ...contents]
  return starts.map(({ anchor, title, at }, index) => ({
    href: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
    guide,
    title,
    text: text.slice(at, starts[index + 1]?.at),
  }))
}

/** In plain text, around the line with most of the words. */
function findExcerpt(text: string, terms: readonly string[]): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^(?:#|```|\| ?-)/.test(line))
    .map((line) => line.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1').replaceAll(/[`*|]/g, ' '))
  const counts = lines.map((line) => findTerms(line, terms).length)
  const bestLine = counts.indexOf(Math.max(...counts))
  const excerpt = lines
    .slice(bestLine, bestLine + 3)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return excerpt.length <= MAX_EXCERPT_CHARACTERS
    ? excerpt
    : `${excerpt.slice(0, excerpt.lastIndexOf(' ', MAX_EXCERPT_CHARACTERS))} …`
}
