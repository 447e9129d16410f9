import type { Json } from '../../core/tool/json.ts'

export const MAX_TEXT_CHARACTERS = 300

/** Invisible or reordering: control and format characters, ignorable ones (such as U+3164), and the empty Braille pattern. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Checking ASCII for invisible characters too takes five times as long. */
const BEYOND_ASCII = /[^\n\x20-\x7e]+/g

/** Spells out invisible characters, so that people can read what they decide on. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(BEYOND_ASCII, (part, start: number) =>
    part.replaceAll(INVISIBLE, (character, at: number) =>
      isPartOfEmoji(text, start + at)
        ? character
        : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    ),
  )
}

const PICTURE = /\p{Extended_Pictographic}$/u
const WHOLE_PICTURE = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u

function isPartOfEmoji(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(0, at - 4), at), text.slice(at + 1, at + 3)]
  if (text[at] === '\ufe0f') return PICTURE.test(before)
  return text[at] === '\u200d' && WHOLE_PICTURE.test(before) && /^\p{Extended_Pictographic}/u.test(after)
}

export function truncate(text: string, max: number = MAX_TEXT_CHARACTERS): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Quotes a name that a client chose, and replaces quotation marks in it, so that it cannot pass for the page's text. */
export function quoteName(name: string): string {
  return `“${truncate(name, 100).replaceAll(/["\p{Pi}\p{Pf}„‟〝〞＂]/gu, "'")}”`
}

export function toSentence(message: string): string {
  const text = truncate(message).trim()
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

const MAX_INDENTED_CHARACTERS = 100_000

/** Indents JSON unless that makes it much longer, as for deeply nested values. */
export function indentedJson(value: Json): string {
  const text = JSON.stringify(value)
  if (text.length > MAX_INDENTED_CHARACTERS) return text
  const indented = JSON.stringify(value, undefined, 2)
  return indented.length > 20_000 + 5 * text.length ? text : indented
}
