/** HTML that is safe to send as it stands. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Content = string | Markup | readonly Content[] | undefined

/** Makes HTML of a template: whatever is put into it is text, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(strings.map((string, index) => string + written(contents[index])).join(''))
}

function written(content: Content): string {
  if (content === undefined) return ''
  if (content instanceof Markup) return content.text
  return typeof content === 'string' ? escaped(visible(content)) : content.map(written).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/**
 * Characters that cannot be seen, or that reorder what can: Unicode's control and format characters, those that it says may
 * be shown as nothing (such as U+3164, a filler, and variation selectors), and the empty Braille pattern.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A text with what cannot be seen in it as `\u` escapes: what a person decides on must read as it is. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character, at: number) =>
    character === '\n' || joinsEmoji(text, at)
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

const PICTURE = /\p{Extended_Pictographic}$/u
const WHOLE_PICTURE = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u

/** Whether what stands at `at` is seen as a part of a picture: it has one before it in colour, or joins two to one. */
function joinsEmoji(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(0, at - 4), at), text.slice(at + 1, at + 3)]
  if (text[at] === '\ufe0f') return PICTURE.test(before)
  return text[at] === '\u200d' && WHOLE_PICTURE.test(before) && /^\p{Extended_Pictographic}/u.test(after)
}

/** At most so many characters of a foreign text, and never half of one. */
export function bounded(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`
}
