import type { Budget } from '../tool/budget.ts'

const [BACKSLASH, PERCENT, AMPERSAND, LESS, GREATER] = [0x5c, 0x25, 0x26, 0x3c, 0x3e]
const [SEMICOLON, NUMBER_SIGN, U, X] = [0x3b, 0x23, 0x75, 0x78]
const ATTEMPT = 0.02
/** Characters of a name or a tag. */
const MAX_LENGTH = 1_000
/** For a character whose name is not known here. */
const UNKNOWN = 0xfffd
/** For what is passed over. */
export const NOTHING = -1

const CONTROLS = new Map([...'bfnrtv'].map((sign, index) => [sign.charCodeAt(0), '\b\f\n\r\t\v'.charCodeAt(index)]))
const NAMES =
  'amp& lt< gt> quot" apos\' plus+ equals= sol/ bsol\\ percnt% colon: semi; comma, period. lowbar_ num# dollar$ commat@'
const NAMED = new Map(NAMES.split(' ').map((each) => [each.slice(0, -1), each.charCodeAt(each.length - 1)]))

/**
 * A text as it reads once its escapes are taken for what they stand for: `\uXXXX`, `\xXX`, `%XX` and `&…;`. An escape
 * may be escaped itself, so a text is read over another reading. Places are those of the text itself.
 */
export class EscapedText {
  readonly text: string
  readonly #under: EscapedText | undefined
  readonly #budget: Budget
  readonly #skipsTags: boolean
  /** Where the character that was read last ends. */
  end = 0
  /** Whether a character that was read may begin an escape that was not there before, or a tag. */
  isEscaped = false
  isTagged = false

  constructor(text: string, budget: Budget, under?: EscapedText, skipsTags = false) {
    this.text = text
    this.#under = under
    this.#budget = budget
    this.#skipsTags = skipsTags
    if (under) return
    this.isEscaped = /[\\%&]/.test(text)
    this.isTagged = text.includes('<')
  }

  /** Whether its characters are those of the text. */
  get isPlain(): boolean {
    return this.#under === undefined
  }

  /** The UTF-16 code of the character at a place; a byte is one character. NaN after the end. */
  codeAt(at: number): number {
    const sign = this.text.charCodeAt(at)
    this.end = at + 1
    const under = this.#under
    return under && mayBegin(sign) ? this.#decodedAt(at, under) : sign
  }

  #decodedAt(at: number, under: EscapedText): number {
    const code = under.codeAt(at)
    const { end } = under
    this.end = end
    if (!mayBegin(code)) return code
    if (code === LESS) this.isTagged = true
    if ((code === LESS) !== this.#skipsTags) return code
    this.#budget.spend(ATTEMPT)
    const decoded = this.#skipsTags ? this.#tag(end, under) : this.#escape(code, end, under)
    if (Number.isNaN(decoded)) {
      this.end = end
      return code
    }
    if (decoded === LESS) this.isTagged = true
    else if (mayBegin(decoded)) {
      const next = under.codeAt(this.end)
      if (isLetterOrDigit(next) || next === NUMBER_SIGN || mayBegin(next)) this.isEscaped = true
    }
    return decoded
  }

  /** NaN where there is no escape; else `end` is where it ends. */
  #escape(sign: number, at: number, under: EscapedText): number {
    if (sign === PERCENT) return this.#number(at, 16, 2, 2, under)
    const next = under.codeAt(at)
    const after = under.end
    if (sign === BACKSLASH) {
      if (next === U) return this.#number(after, 16, 4, 4, under)
      if (next === X) return this.#number(after, 16, 2, 2, under)
      this.end = after
      return next === BACKSLASH ? BACKSLASH : isLetterOrDigit(next) ? (CONTROLS.get(next) ?? NaN) : NaN
    }
    if (next !== NUMBER_SIGN) return this.#name(at, under)
    const isHex = (under.codeAt(after) | 0x20) === X
    return this.#closed(isHex ? this.#number(under.end, 16, 1, 6, under) : this.#number(after, 10, 1, 7, under), under)
  }

  #closed(code: number, under: EscapedText): number {
    if (under.codeAt(this.end) !== SEMICOLON) return NaN
    this.end = under.end
    return code
  }

  #number(from: number, radix: 10 | 16, least: number, most: number, under: EscapedText): number {
    let value = 0
    let count = 0
    for (this.end = from; count < most; count++) {
      const digit = digitOf(under.codeAt(this.end))
      if (digit >= radix) break
      value = value * radix + digit
      this.end = under.end
    }
    return count < least ? NaN : value
  }

  #name(from: number, under: EscapedText): number {
    let name = ''
    for (this.end = from; name.length < MAX_LENGTH; this.end = under.end) {
      const code = under.codeAt(this.end)
      if (!isLetterOrDigit(code)) break
      name += String.fromCharCode(code)
    }
    return name === '' ? NaN : this.#closed(NAMED.get(name) ?? UNKNOWN, under)
  }

  #tag(from: number, under: EscapedText): number {
    this.end = from
    for (let count = 0; count < MAX_LENGTH; count++) {
      const code = under.codeAt(this.end)
      this.end = under.end
      if (code === GREATER) return NOTHING
      if (code === LESS || Number.isNaN(code)) break
    }
    return NaN
  }
}

/** Whether an escape or a tag may begin with it. */
export function mayBegin(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND || code === LESS
}

export function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

function digitOf(code: number): number {
  if (!isLetterOrDigit(code)) return Infinity
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57
}
