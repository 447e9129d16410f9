import { withinBudget, type Budget, createBudget } from '../tool/budget.ts'
import { isNumber, isObject } from '../tool/json.ts'
import { trimEnd } from '../tool/trim.ts'
import { toDecodedText, type DecodedText, decodeEscapes, stripTags } from './escaped-text.ts'

export const REDACTED = '[redacted]'

/** A shorter secret is likely to be part of ordinary text, so it is redacted only if it is the whole text. */
const MIN_INNER_LENGTH = 4
/** One secret may contain several, as in `<account>:<token>:<sender>`. A part this long is not an ordinary word. */
const MIN_PART_LENGTH = 16
const MAX_PARTS = 32
/** Escapes may be nested, as in a URL in HTML in JSON. */
const MAX_LEVELS = 5
/** Characters between two letters of a secret, such as the indentation of wrapped lines. */
const MAX_GAP = 64

/** Characters per unit of the budget, for spelling out secrets and for searching text. */
const SPELT_PER_UNIT = 2
const READ_PER_UNIT = 400
/** Units for each comparison, in addition to those for the compared characters. */
const COMPARISON = 0.1
const COMPARED_PER_UNIT = 100

export type Redactor = NonNullable<ReturnType<typeof createRedactor>>

/**
 * Redacts secrets and their long parts, whether plain, escaped or in Base64. Once the budget is exceeded, it replaces every
 * whole text.
 */
export function createRedactor(secrets: readonly string[], base64: (text: string) => string, budget = createBudget()) {
  const exactSecrets = new Set(secrets.filter((secret) => secret.length > 0))
  if (exactSecrets.size === 0) return undefined
  const secretNumbers = new Set(
    [...exactSecrets].flatMap((secret) => [secret, ...splitSecret(secret)]).flatMap(asNumber),
  )
  const searches = withinBudget(() => searchesFor(allSpellings(exactSecrets, base64, budget), budget), '')

  function text(original: string): string {
    if (exactSecrets.has(original)) return REDACTED
    if (original.length < MIN_INNER_LENGTH) return original
    if (!searches.ok || budget.isExceeded) return REDACTED
    const places = withinBudget(() => placesIn(original, searches.value, budget), '')
    if (!places.ok) return REDACTED
    let result = ''
    let copiedUntil = 0
    for (const { start, end } of places.value) {
      if (start >= copiedUntil) result += original.slice(copiedUntil, start) + REDACTED
      copiedUntil = Math.max(copiedUntil, end)
    }
    return copiedUntil === 0 ? original : result + original.slice(copiedUntil)
  }

  function value<T>(original: T): T
  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (isNumber(original))
      return secretNumbers.has(Number(original)) || exactSecrets.has(String(original)) ? REDACTED : original
    if (Array.isArray(original)) {
      const copy = original.map((each: unknown) => value(each))
      return copy.some((each, index) => each !== original[index]) ? copy : original
    }
    if (!isObject(original)) return original
    const entries = Object.entries(original)
    const copy = entries.map(([key, each]): [string, unknown] => [text(key), value(each)])
    const isChanged = copy.some(([key, each], index) => key !== entries[index]?.[0] || each !== entries[index]?.[1])
    return isChanged ? Object.fromEntries(copy) : original
  }

  /** Redacts the texts and values of one of our own objects, whose names and numbers are not secrets. */
  function fields<T extends object>(object: T): T
  function fields(object: object): object {
    const safe = ([name, each]: [string, unknown]) => [name, isNumber(each) ? each : value(each)] as const
    return Object.fromEntries(Object.entries(object).map(safe))
  }

  return { text, value, fields }
}

interface Place {
  readonly start: number
  end: number
}

type Search = (text: string) => readonly Place[]

/** Finds places in order. Searches each level, since preceding text may turn a secret's start into part of an escape. */
function placesIn(text: string, searches: readonly Search[], budget: Budget): readonly Place[] {
  const places: Place[] = []
  const search = (reading: DecodedText) => {
    for (const { start, end } of searches.flatMap((each) => each(reading.text)))
      places.push({ start: reading.mapPosition(start), end: reading.mapPosition(end) })
  }
  let reading = toDecodedText(text)
  search(reading)
  for (let level = 0; level < MAX_LEVELS; level++) {
    const next = decodeEscapes(reading, budget)
    if (next === reading) break
    reading = next
    search(reading)
  }
  const untagged = stripTags(reading, budget)
  if (untagged !== reading) search(untagged)
  return places.sort((one, other) => one.start - other.start)
}

/** How characters are compared: ASCII through a table, and others unchanged or not at all. */
interface Form {
  readonly ascii: Int16Array
  readonly hasOthers: boolean
}

const NOTHING = -1
const LETTERS = createForm(false, (sign) => (/[A-Za-z0-9]/.test(sign) ? sign : ''))
/** A plus is a space in form data, and a backslash may precede any character. */
const SIGNS = createForm(true, (sign) => (sign === '+' ? ' ' : sign === '\\' ? '' : sign))

function createForm(hasOthers: boolean, of: (sign: string) => string): Form {
  const getCode = (sign: string) => (sign === '' ? NOTHING : sign.charCodeAt(0))
  return { ascii: new Int16Array(128).map((_, code) => getCode(of(String.fromCharCode(code)))), hasOthers }
}

function inForm(code: number, { ascii, hasOthers }: Form): number {
  return code < 128 ? (ascii[code] ?? NOTHING) : hasOthers ? code : NOTHING
}

/** Finds spellings with many letters by those letters, however separated; others must match character for character. */
function searchesFor(spellings: Iterable<string>, budget: Budget): readonly Search[] {
  const lettered = new Map<string, string>()
  const exact = new Map<string, string>()
  for (const spelling of spellings) {
    const letters = spelling.replaceAll(/[^A-Za-z0-9]+/g, '')
    // Trailing signs, such as padding, may be missing; if present, they are redacted
    if (letters.length >= MIN_PART_LENGTH)
      lettered.set(letters, spelling.slice(spelling.lastIndexOf(letters.slice(-1)) + 1))
    else
      exact.set(
        trimEnd(spelling.replaceAll('+', ' ').replaceAll('\\', ''), '='),
        spelling.slice(trimEnd(spelling, '=').length),
      )
  }
  return [
    ...(lettered.size > 0 ? [searchFor(lettered, LETTERS, budget)] : []),
    ...(exact.size > 0 ? [searchFor(exact, SIGNS, budget)] : []),
  ]
}

const BITS = 3
const TABLE = 2 ** (BITS * MIN_INNER_LENGTH)
const readOn = (bits: number, code: number) => ((bits << BITS) ^ code) & (TABLE - 1)

/** `endings` maps each spelling in its form to the signs that may follow. */
function searchFor(endings: ReadonlyMap<string, string>, form: Form, budget: Budget): Search {
  const begins = new Uint8Array(TABLE)
  const byBits = new Map<number, string[]>()
  // Longest first, so that a secret that contains another is replaced as a whole
  for (const spelling of [...endings.keys()].sort((a, b) => b.length - a.length)) {
    if (spelling.length < MIN_INNER_LENGTH) continue
    let bits = 0
    for (let at = 0; at < MIN_INNER_LENGTH; at++) bits = readOn(bits, spelling.charCodeAt(at))
    if (begins[bits] === 1) byBits.get(bits)?.push(spelling)
    else byBits.set(bits, [spelling])
    begins[bits] = 1
  }

  function findEnd(spelling: string, text: string, start: number): number | undefined {
    let at = start
    let length = 0
    for (let gap = 0; length < spelling.length && gap <= MAX_GAP && at < text.length; at++) {
      const code = inForm(text.charCodeAt(at), form)
      const isNext = code === spelling.charCodeAt(length)
      if (!isNext && code !== NOTHING) break
      length += isNext ? 1 : 0
      gap = isNext ? 0 : gap + 1
    }
    budget.spend(COMPARISON + (at - start) / COMPARED_PER_UNIT)
    if (length < spelling.length) return undefined
    const signs = endings.get(spelling) ?? ''
    for (let sign = 0; sign < signs.length && text.charCodeAt(at) === signs.charCodeAt(sign); sign++) at++
    return at
  }

  return (text) => {
    budget.spend(text.length / READ_PER_UNIT)
    const places: Place[] = []
    let bits = 0
    // The positions of the three characters before this one
    let [third, second, first] = [-1, -1, -1]
    for (let at = 0; at < text.length; at++) {
      const code = inForm(text.charCodeAt(at), form)
      if (code === NOTHING) continue
      const start = third
      bits = readOn(bits, code)
      third = second
      second = first
      first = at
      if (begins[bits] === 0 || start < 0) continue
      let end: number | undefined
      for (const spelling of byBits.get(bits) ?? []) end ??= findEnd(spelling, text, start)
      const last = places.at(-1)
      if (end !== undefined && last && start < last.end) last.end = Math.max(last.end, end)
      else if (end !== undefined) places.push({ start, end })
    }
    return places
  }
}

function allSpellings(secrets: Iterable<string>, base64: (text: string) => string, budget: Budget): Set<string> {
  const spellings = new Set<string>()
  for (const secret of secrets) {
    for (const text of [secret, ...splitSecret(secret)]) {
      budget.spend(text.length / SPELT_PER_UNIT)
      if (text.length < MIN_INNER_LENGTH) continue
      spellings.add(text)
      for (const number of asNumber(text)) spellings.add(String(number))
      if (/[\\%&]/.test(text)) spellings.add(decodeEscapes(toDecodedText(text), budget).text)
      // As in URLs: one character per byte
      if (/[^\0-\x7f]/.test(text))
        spellings.add(decodeEscapes(toDecodedText(encodeURIComponent(text.toWellFormed())), budget).text)
      for (const spelling of encodedAmid(text, base64))
        spellings.add(spelling).add(spelling.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  return spellings
}

const NUMERIC = /^[+-]?\d{1,400}(?:\.\d{1,400})?$/

/** Returns the secret as a JSON number: a double, which loses leading zeros and the last digits of long numbers. */
function asNumber(secret: string): readonly number[] {
  const number = NUMERIC.test(secret) ? Number(secret) : 0
  return String(number).length < MIN_INNER_LENGTH ? [] : [number]
}

function splitSecret(secret: string): readonly string[] {
  return secret
    .split(/[:;,&\s"]+/)
    .filter((part) => part.length >= MIN_PART_LENGTH)
    .slice(0, MAX_PARTS)
}

/** Encodes Base64 at its three alignments, without the characters at both ends that also encode neighbors. */
function* encodedAmid(text: string, base64: (text: string) => string): Iterable<string> {
  yield base64(text).replace(/={1,2}$/, '')
  for (const before of [0, 1, 2]) {
    const encodedText = base64('x'.repeat(before) + text)
    yield encodedText.slice(before === 0 ? 0 : before + 1).replace(/.={1,2}$/, '')
  }
}
