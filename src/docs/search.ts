import { parseTerms } from '../core/search/question.ts'
import { stemText } from '../core/search/words.ts'
import type { Guide } from './docs.ts'

/** A searchable part of the docs, with its text in Markdown. */
export interface DocsSection {
  readonly href: string
  readonly guide: string
  readonly title: string
  readonly text: string
}

interface DocsResult extends Omit<DocsSection, 'text'> {
  readonly excerpt: string
}

const MAX_RESULTS = 20
const MAX_EXCERPT_CHARACTERS = 240

/**
 * Finds the sections that match the most words of a question, or words of the same meaning. `hasAll` is whether they match
 * all of them. Sections with the words themselves, and with the words in headings, come first.
 */
export function searchDocs(sections: readonly DocsSection[], q: string): { results: DocsResult[]; hasAll: boolean } {
  const terms = parseTerms(q)
  const scored = sections.flatMap((section) => {
    const heading = stemOnce(`${section.guide} ${section.title}`)
    const text = stemOnce(section.text)
    const itself = terms.filter((term) => hasAny(heading + text, term.itself))
    const matches = terms.filter((term) => itself.includes(term) || hasAny(heading + text, term.standIns))
    const inHeading = terms.filter((term) => hasAny(heading, term.itself))
    return matches.length === 0
      ? []
      : [{ matchCount: matches.length, score: itself.length + inHeading.length, section }]
  })
  const most = Math.max(0, ...scored.map(({ matchCount }) => matchCount))
  const stems = terms.flatMap(({ itself }) => itself)
  const results = scored
    .filter(({ matchCount }) => matchCount === most)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ section: { text, ...section } }) => ({ ...section, excerpt: findExcerpt(text, stems) }))
  return { results, hasAll: most === terms.length }
}

const stemsByText = new Map<string, string>()

/** Caches the stems of a text. Only for texts of the docs. */
function stemOnce(text: string): string {
  const stems = stemsByText.get(text) ?? ` ${stemText(text)} `
  stemsByText.set(text, stems)
  return stems
}

const hasAny = (stems: string, words: readonly string[]) => words.some((word) => stems.includes(` ${word} `))

export function splitSections({ name, title: guide, text, contents }: Guide): readonly DocsSection[] {
  const starts = [{ anchor: '', title: guide, at: 0 }, ...contents]
  return starts.map(({ anchor, title, at }, index) => ({
    href: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
    guide,
    title,
    text: text.slice(at, starts[index + 1]?.at),
  }))
}

/** Returns plain text that starts with the line that has most of the words. */
function findExcerpt(text: string, words: readonly string[]): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^(?:#|```|\| ?-)/.test(line))
    .map((line) => line.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1').replaceAll(/[`*|]/g, ' '))
  const counts = lines.map((line) => words.filter((word) => hasAny(stemOnce(line), [word])).length)
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
