import { withinBudget, type Budget } from './budget.ts'
import { bigInteger, MIN_DIGITS, restoreIntegers } from './big-integers.ts'
import { type Json, MAX_DEPTH, mayHoldLargeNumbers, parseShortJson, type JsonValueResult } from './json.ts'
import {
  formatExpected,
  formatPosition,
  type ExpectedToken,
  explainBadScalar,
  explainBadString,
} from './json-syntax-error.ts'
import { encodePointerStep } from './problem.ts'

export type JsonParseResult = JsonValueResult | JsonParseError

interface JsonParseError {
  readonly ok: false
  /** Whether the text was JSON as far as it was read, and is refused for its content. */
  readonly isJson: boolean
  readonly message: string
}

export interface JsonLimits {
  readonly what?: string
  /** Items of lists and fields of objects. Each may take a hundred times its size in memory. */
  readonly maxParts?: number | undefined
  readonly depth?: number
  /** Accepts the key `__proto__` and numbers too large for a double, for values that are only passed on. */
  readonly isForeign?: boolean
  /** Pays for the text, because one request may cause many: the responses to a batch of calls. */
  readonly budget?: Budget | undefined
}

/** For published, imported or restored documents: GitHub's largest API description (14 MB) has 430,000. */
export const MAX_SOURCE_NODES = 500_000
/** For responses of tools and their servers: about ten thousand rows, from which a caller may select. */
export const MAX_RESPONSE_NODES = 300_000
/** For all other texts. */
const MAX_NODES = 100_000
export const FOREIGN_JSON: JsonLimits = { maxParts: MAX_RESPONSE_NODES, depth: 1_000, isForeign: true }
/** Engines store objects with more names as dictionaries, which take several times as long. */
const MANY_NAMES = 1_000
const CHARACTERS_PER_UNIT = 256
/** Reading this many characters takes a few milliseconds. */
const SLICE_CHARACTERS = 1_000_000
const MAX_STEP = 300
const IN_LIST = -1

/** Parses all JSON from outside. Every limit is checked before the value takes memory. */
export function parseJson(text: string, limits?: JsonLimits): JsonParseResult {
  const shortResult = parseShortJson(text)
  if (shortResult) return shortResult
  const parser = parseInSlices(text, limits)
  for (;;) {
    const { done, value } = parser.next()
    if (done === true) return value
  }
}

const TRUSTED: JsonLimits = { maxParts: Infinity, depth: 2_000, isForeign: true }

/** Parses JSON that this program or a deployment wrote, where big integers are rare. Throws as `JSON.parse` does. */
export function parseTrusted(text: string): ReturnType<typeof JSON.parse> {
  if (!mayHoldLargeNumbers(text)) return JSON.parse(text)
  const read = parseJson(text, TRUSTED)
  return read.ok ? read.value : JSON.parse(text)
}

/** Parses JSON (RFC 8259). Yields when other requests may run. Messages quote only names. */
export function* parseInSlices(
  text: string,
  { what = 'the text', maxParts = MAX_NODES, depth = MAX_DEPTH, isForeign = false, budget }: JsonLimits = {},
): Generator<undefined, JsonParseResult> {
  // For each level, where its current name begins and ends, or in a list the index of the item
  const steps = new Int32Array(depth + 1)
  const ends = new Int32Array(depth + 1)
  const names = new Int32Array(depth + 1)
  let level = 0
  const integerRanges: [number, number][] = []
  let expected: ExpectedToken = 'value'
  let parts = 0
  let nextYield = SLICE_CHARACTERS
  let at = afterSpace(text, 0)
  const toSyntaxError = (why: string, offset: number) =>
    createParseError(false, `Cannot parse ${what} as JSON: ${why}${offset === -1 ? '' : formatPosition(text, offset)}`)
  if (at === text.length) return toSyntaxError('it is empty', -1)
  for (; at < text.length; at = afterSpace(text, at)) {
    if (at >= nextYield) {
      yield
      nextYield = at + SLICE_CHARACTERS
    }
    const start = at
    const code = text.charCodeAt(at)
    const isValue: boolean = expected === 'value' || expected === 'first value'
    const isName: boolean = expected === 'name' || expected === 'first name'
    const inList = ends[level] === IN_LIST
    const next = level === 0 ? 'end' : 'comma'
    if (code === QUOTE) {
      at = afterString(text, at)
      if (at < 0) return toSyntaxError(explainBadString(text, -at), start)
      if (!isValue && !isName) return toSyntaxError(formatExpected(expected, inList), start)
      expected = isName ? 'colon' : next
      if (!isName) continue
      steps[level] = start
      ends[level] = at
      const nameCount = (names[level] ?? 0) + 1
      names[level] = nameCount
      if (isForeign && nameCount > MANY_NAMES) parts += 2
      if (isForeign || !isPrototype(text, start, at)) continue
      return createParseError(true, `Cannot accept the key '__proto__' at '${pointerTo(text, level, steps, ends)}'`)
    }
    if (code === COMMA ? expected === 'comma' : code === COLON && expected === 'colon') {
      parts += 1
      if (inList) steps[level] = (steps[level] ?? 0) + 1
      expected = code === COLON || inList ? 'value' : 'name'
      at += 1
    } else if (isValue && (code === OPEN_BRACE || code === OPEN_BRACKET)) {
      if (level >= depth) return createParseError(true, `Cannot accept ${what}: it nests deeper than ${depth} levels`)
      // Any other value follows a comma or a colon, which is counted
      if (expected === 'first value') parts += 1
      level += 1
      steps[level] = names[level] = 0
      ends[level] = code === OPEN_BRACE ? 0 : IN_LIST
      expected = code === OPEN_BRACE ? 'first name' : 'first value'
      at += 1
    } else if (code === (inList ? CLOSE_BRACKET : CLOSE_BRACE) && isClosable(expected)) {
      level -= 1
      expected = level === 0 ? 'end' : 'comma'
      at += 1
    } else {
      at = skipPattern(SCALAR, text, at)
      const why = explainBadScalar(text, start, at)
      if (why !== undefined) return toSyntaxError(why, start)
      if (at === start || !isValue) return toSyntaxError(formatExpected(expected, inList), start)
      if (at - start >= MIN_DIGITS && bigInteger(text.slice(start, at)) !== undefined) integerRanges.push([start, at])
      else if (!isForeign && at - start > SAFE_DIGITS && Math.abs(Number(text.slice(start, at))) === Infinity)
        return createParseError(
          true,
          `Cannot accept a number at '${pointerTo(text, level, steps, ends)}': it is too large`,
        )
      expected = next
    }
    if (parts > maxParts)
      return createParseError(true, `Cannot accept ${what}: it has more than ${maxParts} parts, so make it smaller`)
  }
  if (expected !== 'end')
    return toSyntaxError(formatExpected(expected, ends[level] === IN_LIST).replace("',' or ", ''), at)
  const chargeResult =
    budget &&
    withinBudget(
      () => budget.spend(parts + text.length / CHARACTERS_PER_UNIT),
      `Cannot accept ${what}: it takes too much work`,
    )
  if (chargeResult?.ok === false) return createParseError(true, chargeResult.problems[0]?.message ?? '')
  return { ok: true, value: integerRanges.length === 0 ? JSON.parse(text) : parseWithIntegers(text, integerRanges) }
}

/** `ranges`: where each big integer begins and ends. */
function parseWithIntegers(text: string, ranges: readonly (readonly [number, number])[]): Json {
  const tag = `${Math.random()} `
  let tagged = ''
  let from = 0
  for (const [start, end] of ranges) {
    tagged += `${text.slice(from, start)}"${tag}${text.slice(start, end)}"`
    from = end
  }
  return restoreIntegers(JSON.parse(tagged + text.slice(from)), tag)
}

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const UNDERSCORE = 0x5f
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** Numbers with at most this many characters are never too large. */
const SAFE_DIGITS = 4
/** In characters, with quotes and with every letter escaped. */
const LONGEST_PROTOTYPE = 56
/** A pattern skips a long run several times as fast as a loop over its characters. */
const BLANK = /[ \t\n\r]*/y
const PLAIN = /[ !#-[\]-\uffff]*/y
const ESCAPES = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y
const ESCAPED = Uint8Array.from({ length: 128 }, (_, code) => Number('"\\/bfnrt'.includes(String.fromCharCode(code))))
/** A loop reads this many characters before a pattern would have started. */
const LOOP_CHARACTERS = 24
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function createParseError(isJson: boolean, message: string): JsonParseError {
  return { ok: false, isJson, message }
}

function isClosable(expected: ExpectedToken): boolean {
  return expected === 'comma' || expected === 'first name' || expected === 'first value'
}

function afterSpace(text: string, from: number): number {
  const code = text.charCodeAt(from)
  if (code > SPACE || (code === SPACE && text.charCodeAt(from + 1) > SPACE)) return code > SPACE ? from : from + 1
  return skipPattern(BLANK, text, from)
}

function skipPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** Returns the end of a string, or the negated offset of a fault in it. */
function afterString(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const loopEnd = at + LOOP_CHARACTERS
    while (at < loopEnd && isPlain(text.charCodeAt(at))) at += 1
    if (at === loopEnd) at = skipPattern(PLAIN, text, at)
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code !== BACKSLASH) return -at
    const isAlone = ESCAPED[text.charCodeAt(at + 1)] === 1 && text.charCodeAt(at + 2) !== BACKSLASH
    const next = isAlone ? at + 2 : skipPattern(ESCAPES, text, at)
    if (next === at) return -at
    at = next
  }
}

/** False at the end of the text, where `code` is NaN. */
function isPlain(code: number): boolean {
  return code >= SPACE && code !== QUOTE && code !== BACKSLASH
}

/** Also recognizes escaped letters. */
function isPrototype(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start + 1)
  if ((first !== UNDERSCORE && first !== BACKSLASH) || end - start > LONGEST_PROTOTYPE) return false
  return nameAt(text, start, end) === '__proto__'
}

function nameAt(text: string, start: number, end: number): string {
  const name: unknown = JSON.parse(text.slice(start, end))
  return String(name)
}

function pointerTo(text: string, levels: number, steps: Int32Array, ends: Int32Array): string {
  const path = Array.from(steps.subarray(1, levels + 1), (step, above) => {
    const end = ends[above + 1] ?? IN_LIST
    return encodePointerStep(end === IN_LIST ? step : nameAt(text, step, end).slice(0, MAX_STEP))
  })
  return path.join('')
}
