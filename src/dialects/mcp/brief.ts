import type { LineFormat } from '../../core/catalogue/catalogue.ts'
import { titleOf } from '../../core/tool/tool.ts'

/** In small letters: a model takes four or more of a text in English for a token. */
const MAX_TITLE = 80
const MAX_DESCRIPTION = 360

/** In small letters, roughly by tokens: those of other scripts and symbols are often tokens of their own. */
function lettersOf(character: string): number {
  if (/[a-z ]/.test(character)) return 1
  if (/[A-Z,.'\n-]/.test(character)) return 2
  return character.length === 1 ? 3 : 10
}

/** A tool in a search result, so short that five cost a model no more than 1,500 tokens. */
export const BRIEF: LineFormat = {
  name: 'mcp-brief',
  write(record, name) {
    if (record.implementation === undefined) return ''
    const title = titleOf(record)
    return JSON.stringify({
      name,
      ...(title === undefined ? {} : { title: shortened(title, MAX_TITLE) }),
      description: shortened(record.description, MAX_DESCRIPTION),
    })
  },
}

export function shortened(text: string, most: number): string {
  let at = 0
  let letters = 0
  for (const character of text) {
    letters += lettersOf(character)
    if (letters > most) {
      const begun = text.slice(0, at)
      return `${begun.replace(/\s+\S{0,40}$/, '')}…`
    }
    at += character.length
  }
  return text
}
