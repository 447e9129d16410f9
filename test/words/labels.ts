import { readFileSync } from 'node:fs'
import { hosts } from '../../src/generated/agent-hosts.ts'

/** The words of pages, guides and messages: terms with those they replace, other labels, and phrases with replacements. */
export interface Glossary {
  readonly terms: Readonly<Record<string, readonly string[]>>
  readonly labels: readonly string[]
  readonly instead: Readonly<Record<string, string>>
}

export const glossary: Glossary = JSON.parse(
  readFileSync(new URL('../../src/docs/glossary.json', import.meta.url), 'utf8'),
)

/** An ellipsis stands for a name, a number or the like. */
const known = [...Object.keys(glossary.terms), ...glossary.labels, ...hosts.map(({ title }) => title)].map(
  (label) => new RegExp(`^${label.split('…').map(escaped).join('.+')}$`, 'u'),
)

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()[\]|\\]/g, String.raw`\$&`)
}

const LABELS = /<(h1|h2|h3|legend|th|label|dt|button|summary)\b([^>]*)>(.*?)<\/\1>/gs
/** Labels that are not ours: parameters in a tool's form, toolkit names and values in rows. */
const NOT_OURS = /\bfor="f-input\/|\bscope="row"|\bname="toolkit\./
const IS_ID = /^[\w*-]+\.[\w*-]+(?:@\S+)?$/

/** Lists the headings, labels, buttons and summaries of a page, without the notes next to them. */
export function labelsOf(html: string): string[] {
  return [...html.matchAll(LABELS)].flatMap(([, , attributes = '', inner = '']) => {
    if (NOT_OURS.test(attributes + inner)) return []
    const text = inner
      .replaceAll(/<span class="note">.*?<\/span>|<(select|textarea)\b.*?<\/\1>/gs, ' ')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return text === '' || IS_ID.test(text) ? [] : [text]
  })
}

export function unknownLabels(html: string): string[] {
  return labelsOf(html).filter((label) => !known.some((each) => each.test(label)))
}

/** Finds phrases that pages, guides and messages must not use, with their replacements. */
export function phrasesIn(text: string): string[] {
  const flat = text.replaceAll(/\s+/g, ' ').toLowerCase()
  const replaced = Object.entries(glossary.terms).flatMap(([term, phrases]) =>
    phrases.map((phrase) => [phrase, term] as const),
  )
  return [...replaced, ...Object.entries(glossary.instead)]
    .filter(([phrase]) => flat.includes(phrase.toLowerCase()))
    .map(([phrase, term]) => `'${phrase}': write '${term}'`)
}

const CLAUSE = /^(?:What|Which|Who|Whose|Whether|When|While|Where|Why|How|Its|Again|Beside|See)\b/

/** Finds the headings of a guide that are clauses rather than the name of a thing or task. */
export function clausesIn(guide: string): string[] {
  const headings = guide.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].flatMap(([, heading = '']) => (CLAUSE.test(heading) ? [heading] : []))
}
