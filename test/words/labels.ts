import { readFileSync } from 'node:fs'
import { hosts } from '../../src/generated/agent-hosts.ts'

/** The words of pages, guides and messages: a term with what it replaces, other labels, and phrases with what to write instead. */
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
/** The parameters in the form of a tool, names of toolkits and values in rows are words of their own. */
const NOT_OURS = /\bfor="f-input\/|\bscope="row"|\bname="toolkit\./
const IS_ID = /^[\w*-]+\.[\w*-]+(?:@\S+)?$/

/** The headings, labels, buttons and summaries of a page, without the notes beside them. */
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

/** Each phrase that pages, guides and messages do without, with what to write in its place. */
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

/** The headings of a guide that are a clause, and not the name of a thing or a task as readers look for it. */
export function clausesIn(guide: string): string[] {
  const headings = guide.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].flatMap(([, heading = '']) => (CLAUSE.test(heading) ? [heading] : []))
}
