import { afford, type Budget, createBudget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'

const REDACTED = '[redacted]'

/** A shorter secret is likely to be part of ordinary text; it is redacted only where it stands alone. */
const MIN_INNER_LENGTH = 4
/** One secret may hold several, as `<account>:<token>:<sender>` does. A part this long is no ordinary word. */
const MIN_PART_LENGTH = 16
const MAX_PARTS = 32

/** Characters per unit of the budget: of secrets that are spelt, and of text that is searched. */
const SPELT_PER_UNIT = 2
const READ_PER_UNIT = 400
/** Units for each place that may begin a spelling, and for each comparison there, beside the characters compared. */
const LOOK = 0.02
const COMPARISON = 0.1
const COMPARED_PER_UNIT = 200

export interface Redactor {
  text(text: string): string
  value<T>(value: T): T
}

/** Redacts secrets, plain or encoded, and their long parts. With the budget spent, every text is replaced whole. */
export function createRedactor(
  secrets: readonly string[],
  base64: (text: string) => string,
  budget = createBudget(),
): Redactor | undefined {
  const whole = new Set(secrets.filter((secret) => secret.length > 0))
  if (whole.size === 0) return undefined
  const spelt = afford(() => allSpellings(whole, base64, budget), '')
  const places = findsPlaces(spelt.ok ? spelt.value : new Set(), budget)

  function text(original: string): string {
    if (whole.has(original)) return REDACTED
    if (original.length < MIN_INNER_LENGTH) return original
    if (budget.isSpent) return REDACTED
    const found = afford(() => places(original), '')
    if (!found.ok) return REDACTED
    let result = ''
    let kept = 0
    for (const { start, end } of found.value) {
      result += original.slice(kept, start) + REDACTED
      kept = end
    }
    return kept === 0 ? original : result + original.slice(kept)
  }

  function value<T>(original: T): T
  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (typeof original === 'number') return whole.has(String(original)) ? REDACTED : original
    if (Array.isArray(original)) {
      const copy = original.map((each: unknown) => value(each))
      return copy.some((each, index) => each !== original[index]) ? copy : original
    }
    if (!isObject(original)) return original
    const entries = Object.entries(original)
    const copy = entries.map(([key, each]): [string, unknown] => [text(key), value(each)])
    const changed = copy.some(([key, each], index) => key !== entries[index]?.[0] || each !== entries[index]?.[1])
    return changed ? Object.fromEntries(copy) : original
  }

  return { text, value }
}

function allSpellings(secrets: Iterable<string>, base64: (text: string) => string, budget: Budget): Set<string> {
  const spellings = new Set<string>()
  for (const secret of secrets) {
    for (const text of [secret, ...partsOf(secret)]) {
      budget.spend(text.length / SPELT_PER_UNIT)
      for (const spelling of spellingsOf(text, base64)) {
        if (spelling.length >= MIN_INNER_LENGTH) spellings.add(spelling)
      }
    }
  }
  return spellings
}

interface Place {
  readonly start: number
  end: number
}

interface Alike {
  readonly beginning: string
  readonly spellings: string[]
}

const BITS = 3
const TABLE = 2 ** (BITS * MIN_INNER_LENGTH)
const readOn = (bits: number, code: number) => ((bits << BITS) ^ code) & (TABLE - 1)

function findsPlaces(spellings: ReadonlySet<string>, budget: Budget): (text: string) => readonly Place[] {
  const begins = new Uint8Array(TABLE)
  const byBits = new Map<number, Alike[]>()
  // Longest first, so that a secret that holds another is replaced as a whole
  for (const spelling of [...spellings].sort((a, b) => b.length - a.length)) {
    const beginning = spelling.slice(0, MIN_INNER_LENGTH)
    let bits = 0
    for (let at = 0; at < MIN_INNER_LENGTH; at++) bits = readOn(bits, beginning.charCodeAt(at))
    begins[bits] = 1
    const group = byBits.get(bits) ?? []
    byBits.set(bits, group)
    const alike = group.find((each) => each.beginning === beginning)
    if (alike) alike.spellings.push(spelling)
    else group.push({ beginning, spellings: [spelling] })
  }

  function longestAt(text: string, start: number, group: readonly Alike[]): number {
    for (const { beginning, spellings: candidates } of group) {
      budget.spend(LOOK)
      if (!text.startsWith(beginning, start)) continue
      for (const spelling of candidates) {
        const common = commonLength(text, start, spelling)
        budget.spend(COMPARISON + common / COMPARED_PER_UNIT)
        if (common === spelling.length) return common
      }
    }
    return 0
  }

  return (text) => {
    budget.spend(text.length / READ_PER_UNIT)
    const places: Place[] = []
    let bits = 0
    for (let at = 0; at < text.length; at++) {
      bits = readOn(bits, text.charCodeAt(at))
      const start = at + 1 - MIN_INNER_LENGTH
      if (begins[bits] !== 1 || start < 0) continue
      const length = longestAt(text, start, byBits.get(bits) ?? [])
      if (length === 0) continue
      const last = places.at(-1)
      if (last && start < last.end) last.end = Math.max(last.end, start + length)
      else places.push({ start, end: start + length })
    }
    return places
  }
}

function commonLength(text: string, start: number, spelling: string): number {
  let length = 0
  while (length < spelling.length && text.charCodeAt(start + length) === spelling.charCodeAt(length)) length++
  return length
}

function partsOf(secret: string): readonly string[] {
  return secret
    .split(/[:;,&\s"]+/)
    .filter((part) => part.length >= MIN_PART_LENGTH)
    .slice(0, MAX_PARTS)
}

function* spellingsOf(secret: string, base64: (text: string) => string): Iterable<string> {
  if (secret.length < MIN_INNER_LENGTH) return
  const escaped = JSON.stringify(secret).slice(1, -1)
  const percent = encodeURIComponent(secret.toWellFormed())
  const form = percent.replaceAll('%20', '+').replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  yield* [secret, escaped, escaped.replaceAll('/', '\\/')]
  for (const each of [percent, form]) {
    yield* [
      each,
      each.replaceAll(/%../g, (code) => code.toUpperCase()),
      each.replaceAll(/%../g, (code) => code.toLowerCase()),
    ]
  }
  for (const each of encodedAmid(secret, base64)) {
    yield* [each, each.replaceAll('+', '-').replaceAll('/', '_')]
  }
}

/** Base64 at each of its three alignments, without the characters at both ends that also encode neighbours. */
function* encodedAmid(text: string, base64: (text: string) => string): Iterable<string> {
  yield base64(text).replace(/=+$/, '')
  for (const before of [0, 1, 2]) {
    const encoded = base64('x'.repeat(before) + text)
    yield encoded.slice(before === 0 ? 0 : before + 1).replace(/.=+$/, '')
  }
}
