import { parseTerms } from '../core/search/question.ts'
import { stemText } from '../core/search/words.ts'
import type { Guide } from './docs.ts'

/** A part of the docs that can be found, and its text in Markdown. */
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
 * The sections with the most words of a question, or with words of the same meaning; `hasAll` says whether they have all
 * of them. Those come first that have the words themselves, and in their headings.
 */
export function searchDocs(sections: readonly DocsSection[], q: string): { results: DocsResult[]; hasAll: boolean } {
  const terms = parseTerms(q)
  const scored = sections.flatMap((section) => {
    const heading = stemOnce(`${section.guide} ${section.title}`)
    const text = stemOnce(section.text)
    const itself = terms.filter((term) => hasAny(heading + text, term.itself))
    const found = terms.filter((term) => itself.includes(term) || hasAny(heading + text, term.standIns))
    const inHeading = terms.filter((term) => hasAny(heading, term.itself))
    return found.length === 0 ? [] : [{ found: found.length, score: itself.length + inHeading.length, section }]
  })
  const most = Math.max(0, ...scored.map(({ found }) => found))
  const stems = terms.flatMap(({ itself }) => itself)
  const results = scored
    .filter(({ found }) => found === most)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ section: { text, ...section } }) => ({ ...section, excerpt: findExcerpt(text, stems) }))
  return { results, hasAll: most === terms.length }
}

const stemsByText = new Map<string, string>()

/** For texts of the docs alone, whose stems are made once. */
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

/** In plain text, around the line with most of the words. */
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
