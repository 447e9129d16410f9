import { afford, type Budget, UNITS } from './budget.ts'
import type { Json } from './json.ts'
import { pointerStep } from './problem.ts'

export type ReadText = Read | Unread

interface Read {
  readonly ok: true
  readonly value: Json
}

interface Unread {
  readonly ok: false
  /** Whether it is refused for what it holds, being JSON as far as it was read. */
  readonly isJson: boolean
  readonly message: string
}

export interface TextRules {
  readonly what?: string
  /** Of lists and objects: each may take a hundred times its bytes of memory. */
  readonly parts?: number
  readonly depth?: number
  /** Takes the key `__proto__` and numbers too large for a double, in values that are only passed on. */
  readonly isForeign?: boolean
}

/** A definition's schemas may nest 128 levels. */
export const MAX_DEPTH = 136
/** For what is published, imported or restored. */
export const MANY_PARTS = 10 * UNITS
/** For what tools and their servers answer. */
export const FOREIGN: TextRules = { depth: 1_000, isForeign: true }
const CHARACTERS = 256
/** Of characters, which take some milliseconds. */
const SLICE = 1_000_000
const MAX_STEP = 300
const IN_LIST = -1

/** Too short to nest too deep or to hold too much. */
const SHORT = 2 * MAX_DEPTH
const SUSPECT = /__proto__|\\u|\d[eE]|\d{100}/

/** The value of a short text that nothing can be wrong with, at a fraction of the cost: most calls are such. */
export function parseShort(text: string): Read | undefined {
  if (text.length > SHORT || SUSPECT.test(text)) return undefined
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The only way in for JSON that somebody sent: every bound is held before its value takes memory. */
export function parseJson(text: string, meter: Budget, rules?: TextRules): ReadText {
  const short = parseShort(text)
  if (short) return short
  const reading = readInSlices(text, meter, rules)
  for (;;) {
    const { done, value } = reading.next()
    if (done === true) return value
  }
}

/** RFC 8259. Yields where others may be let in. Its messages quote nothing but names. */
export function* readInSlices(
  text: string,
  meter: Budget,
  { what = 'the text', parts: mostParts = UNITS, depth = MAX_DEPTH, isForeign = false }: TextRules = {},
): Generator<undefined, ReadText> {
  // Of each level where the name in it begins and ends; or, in a list, the number of the item
  const steps: number[] = []
  const ends: number[] = []
  let wanted: Wanted = 'value'
  let parts = 0
  let pause = SLICE
  let at = afterSpace(text, 0)
  if (at === text.length) return unread(false, `Cannot parse ${what} as JSON: it is empty`)
  for (; at < text.length; at = afterSpace(text, at)) {
    if (at >= pause) {
      yield
      pause = at + SLICE
    }
    const start = at
    const code = text.charCodeAt(at)
    const isValue: boolean = wanted === 'value' || wanted === 'first value'
    const isName: boolean = wanted === 'name' || wanted === 'first name'
    const after = steps.length === 0 ? 'end' : 'comma'
    if (code === QUOTE) {
      at = afterString(text, at)
      if (at <= start) return fault(text, start, what, whyNoString(text, -at))
      if (!isValue && !isName) return fault(text, start, what, expected(wanted, ends))
      wanted = isName ? 'colon' : after
      if (!isName) continue
      steps[steps.length - 1] = start
      ends[ends.length - 1] = at
      if (isForeign || !isPrototype(text, start, at)) continue
      return unread(true, `Cannot accept the key '__proto__' at '${pointerTo(text, steps, ends)}'`)
    }
    if (code === COMMA ? wanted === 'comma' : code === COLON && wanted === 'colon') {
      parts += 1
      const inList = ends.at(-1) === IN_LIST
      if (inList) steps[steps.length - 1] = (steps.at(-1) ?? 0) + 1
      wanted = code === COLON || inList ? 'value' : 'name'
      at += 1
    } else if (isValue && (code === OPEN_BRACE || code === OPEN_BRACKET)) {
      if (steps.length >= depth) return unread(true, `Cannot accept ${what}: it nests deeper than ${depth} levels`)
      // Any other comes behind a comma or a colon
      if (wanted === 'first value') parts += 1
      steps.push(0)
      ends.push(code === OPEN_BRACE ? 0 : IN_LIST)
      wanted = code === OPEN_BRACE ? 'first name' : 'first value'
      at += 1
    } else if (code === (ends.at(-1) === IN_LIST ? CLOSE_BRACKET : CLOSE_BRACE) && isClosable(wanted)) {
      steps.pop()
      ends.pop()
      wanted = steps.length === 0 ? 'end' : 'comma'
      at += 1
    } else {
      at = afterWord(text, at)
      if (at < 0) return fault(text, start, what, 'number without an end')
      if (at === start && !SIGNS.includes(text.charAt(at))) return fault(text, start, what, whyNoWord(text, at))
      if (at === start || !isValue) return fault(text, start, what, expected(wanted, ends))
      if (!isForeign && at - start > SAFE_DIGITS && Math.abs(Number(text.slice(start, at))) === Infinity) {
        return unread(true, `Cannot accept a number at '${pointerTo(text, steps, ends)}': it is too large`)
      }
      wanted = after
    }
    if (parts > mostParts) {
      return unread(true, `Cannot accept ${what}: it has more than ${mostParts} parts, so make it smaller`)
    }
  }
  if (wanted !== 'end') return fault(text, at, what, expected(wanted, ends).replace("',' or ", ''))
  const paid = afford(
    () => meter.spend(parts + text.length / CHARACTERS),
    `Cannot accept ${what}: it takes too much work`,
  )
  if (!paid.ok) return unread(true, paid.problems[0]?.message ?? '')
  return { ok: true, value: JSON.parse(text) }
}

type Wanted = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'end'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SIGNS = ',:{}[]'
const SPACE = 0x20
const LINE_FEED = 0x0a
const RETURN = 0x0d
const TAB = 0x09
const MINUS = 0x2d
const WORDS = ['true', 'false', 'null']
const SLASH = 0x2f
const UNDERSCORE = 0x5f
/** Of a number that no exponent can make too large. */
const SAFE_DIGITS = 4
const PLAIN = /[ !#-[\]-\uffff]*/y
const LONG_RUN = 16
/** In characters, with its quotes, each of its letters being escaped. */
const LONGEST_PROTOTYPE = 56

function unread(isJson: boolean, message: string): Unread {
  return { ok: false, isJson, message }
}

function fault(text: string, offset: number, what: string, why: string): Unread {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  const place = `line ${line}, column ${offset - start + 1} (offset ${offset})`
  return unread(false, `Cannot parse ${what} as JSON: ${why} at ${place}`)
}

function expected(wanted: Wanted, ends: readonly number[]): string {
  switch (wanted) {
    case 'value':
    case 'first value':
      return 'value expected'
    case 'name':
    case 'first name':
      return 'name in double quotes expected'
    case 'colon':
      return "':' expected"
    case 'comma':
      return `',' or '${ends.at(-1) === IN_LIST ? ']' : '}'}' expected`
    case 'end':
      return 'end expected'
  }
}

function isClosable(wanted: Wanted): boolean {
  return wanted === 'comma' || wanted === 'first name' || wanted === 'first value'
}

function afterSpace(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code <= SPACE; code = text.charCodeAt(at)) {
    if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) break
    at += 1
  }
  return at
}

/** Where a string has a fault, that place below zero. */
function afterString(text: string, from: number): number {
  let plain = 0
  for (let at = from + 1; ;) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) {
      const length = escapeAt(text, at)
      if (length === 0) return -at
      at += length
      plain = 0
    } else if (!(code >= SPACE)) return -at
    else if (++plain < LONG_RUN) at += 1
    else {
      // Long texts are most of what is sent, and three times as fast to skip so
      PLAIN.lastIndex = at
      PLAIN.test(text)
      at = PLAIN.lastIndex
    }
  }
}

/** Its length; without making a text of each, as a body may hold millions. */
function escapeAt(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(text.charCodeAt(digit))) return 0
      return 6
    default:
      return 0
  }
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

function whyNoString(text: string, at: number): string {
  const code = text.charCodeAt(at)
  if (code === BACKSLASH) return text.charAt(at + 1) === 'u' ? 'malformed \\u escape' : 'unknown escape'
  const isCut = at === text.length || code === LINE_FEED || code === RETURN
  return isCut ? 'string without an end' : 'control character in a string'
}

/** Behind a number or a word of JSON, or where it began; below zero for a number that breaks off. */
function afterWord(text: string, from: number): number {
  const word = WORDS.find((each) => text.startsWith(each, from))
  if (word !== undefined) return from + word.length
  const whole = text.charCodeAt(from) === MINUS ? from + 1 : from
  let at = text.charAt(whole) === '0' ? whole + 1 : afterDigits(text, whole)
  if (at === whole) return from
  if (text.charAt(at) === '.') {
    const decimals = at + 1
    at = afterDigits(text, decimals)
    if (at === decimals) return -1
  }
  if (text.charAt(at) === 'e' || text.charAt(at) === 'E') {
    const exponent = /[+-]/.test(text.charAt(at + 1)) ? at + 2 : at + 1
    at = afterDigits(text, exponent)
    if (at === exponent) return -1
  }
  return at
}

function afterDigits(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at += 1
  return at
}

function whyNoWord(text: string, at: number): string {
  return /^\/[/*]/.test(text.slice(at, at + 2)) ? 'comment not allowed' : 'unknown word or sign'
}

/** Also where its letters are escaped. */
function isPrototype(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start + 1)
  if ((first !== UNDERSCORE && first !== BACKSLASH) || end - start > LONGEST_PROTOTYPE) return false
  return nameAt(text, start, end) === '__proto__'
}

function nameAt(text: string, start: number, end: number): string {
  const name: unknown = JSON.parse(text.slice(start, end))
  return String(name)
}

function pointerTo(text: string, steps: readonly number[], ends: readonly number[]): string {
  const path = steps.map((step, level) => {
    const end = ends[level] ?? IN_LIST
    return pointerStep(end === IN_LIST ? step : nameAt(text, step, end).slice(0, MAX_STEP))
  })
  return path.join('')
}
