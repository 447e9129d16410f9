import type { Budget } from '../tool/budget.ts'

/** A decoded text, and a mapping from its positions to those in the original text. */
export interface DecodedText {
  readonly text: string
  mapPosition(at: number): number
}

const ESCAPE =
  /\\[\\bfnrtv]|\\u([\da-fA-F]{4})|(?:\\x|%)([\da-fA-F]{2})|&#[xX]([\da-fA-F]{1,6});|&#(\d{1,7});|&[\dA-Za-z]{1,1000};/g
const TAG = /<[^<>]{0,999}>/g
const NAMED: ReadonlyMap<string, string> = new Map([
  ...'bfnrtv\\'.split('').map((sign, index) => [`\\${sign}`, '\b\f\n\r\t\v\\'.charAt(index)] as const),
  ...(
    'amp& lt< gt> quot" apos\' plus+ equals= sol/ bsol\\ percnt% colon: semi; comma, period. lowbar_ num# dollar$ ' +
    'commat@'
  )
    .split(' ')
    .map((entity) => [`&${entity.slice(0, -1)};`, entity.slice(-1)] as const),
])
const UNKNOWN = '\ufffd'
const MAX_CODE = 0x10ffff

/** Units per replaced part, and characters per unit for scanning, which engines do fast. */
const REPLACED = 0.1
const READ_PER_UNIT = 4_000

export function toDecodedText(text: string): DecodedText {
  return { text, mapPosition: (at) => at }
}

/** Decodes `\uXXXX`, `\xXX`, `%XX` and `&…;`, each `%XX` as one character. */
export function decodeEscapes(reading: DecodedText, budget: Budget): DecodedText {
  return replaceParts(reading, ESCAPE, decodeCharacter, budget)
}

function decodeCharacter([escape, four, two, upToSix, decimal]: RegExpExecArray): string {
  const hex = four ?? two ?? upToSix
  if (hex === undefined && decimal === undefined) return NAMED.get(escape) ?? UNKNOWN
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return code > MAX_CODE ? UNKNOWN : String.fromCodePoint(code)
}

/** Replaces each tag by a backslash, which searches ignore. */
export function stripTags(reading: DecodedText, budget: Budget): DecodedText {
  return replaceParts(reading, TAG, () => '\\', budget)
}

/** Returns the same reading if there is nothing to replace. */
function replaceParts(
  reading: DecodedText,
  pattern: RegExp,
  by: (part: RegExpExecArray) => string,
  budget: Budget,
): DecodedText {
  const { text, mapPosition } = reading
  budget.spend(text.length / READ_PER_UNIT)
  /** The end of each replaced part, in the new text and in the old one. */
  const ends: number[] = []
  const oldEnds: number[] = []
  let result = ''
  let oldEnd = 0
  pattern.lastIndex = 0
  for (let part = pattern.exec(text); part; part = pattern.exec(text)) {
    budget.spend(REPLACED)
    result += text.slice(oldEnd, part.index) + by(part)
    oldEnd = pattern.lastIndex
    ends.push(result.length)
    oldEnds.push(oldEnd)
  }
  if (ends.length === 0) return reading
  return {
    text: result + text.slice(oldEnd),
    mapPosition(at) {
      let [low, high] = [0, ends.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((ends[middle] ?? 0) <= at) low = middle + 1
        else high = middle
      }
      return mapPosition(at + (oldEnds[low - 1] ?? 0) - (ends[low - 1] ?? 0))
    },
  }
}
