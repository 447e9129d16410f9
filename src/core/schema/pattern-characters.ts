/** Takes steps from a budget, and throws when nothing is left. */
export type Spend = (steps: number) => void

/**
 * Where the sets of `.`, `\d`, `\s` and `\w`, control characters and surrogates begin, and the characters right after
 * them; and, of the planes above 3, one character for each kind that Unicode has there.
 */
const EDGES: readonly number[] = codesOf(
  '\0\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !' +
    '0:A[_`a{\x7f\xa0\xa1\u1680\u1681\u2000\u200b\u2028\u202a\u202f\u2030\u205f\u2060\u3000\u3001\ud800\ue000\ufeff\uff00' +
    '\u{40000}\u{4fffe}\u{e0000}\u{e0001}\u{e0002}\u{e0020}\u{e0080}\u{e0100}\u{e01f0}\u{f0000}\u{ffffe}\u{100000}',
)

/** Planes 0 to 3 hold every character with properties of its own. */
const LAST_LISTED = 0x3ffff
const LAST = 0x10ffff

/** What it takes to look through all of them for those that have a property. */
const STEPS_FOR_PROPERTY = 30_000
let listed: string | undefined
/** By the property. Unicode has some hundred of them, under a few names each. */
const edgesByProperty = new Map<string, readonly number[]>()

/**
 * What each of some characters, escapes and classes of a pattern reads, as bit masks: two of them can read the same
 * character exactly if their masks share a bit. The engine itself is asked which of them read a character; the
 * characters asked about are all those at which what one of them reads can begin or end.
 */
export function masksOf(sources: readonly string[], spend: Spend): bigint[] {
  const edges = new Set(EDGES)
  for (const source of sources) {
    for (const code of codesIn(source)) edges.add(code).add(Math.min(code + 1, LAST))
    for (const [property] of source.matchAll(/\\[pP]\{[^}]*\}/g)) {
      spend(STEPS_FOR_PROPERTY)
      for (const code of edgesOf(property)) edges.add(code)
    }
  }
  spend(edges.size * sources.length)
  const matchers = sources.map((source) => new RegExp(`^${source}$`, 'u'))
  const masks = sources.map(() => 0n)
  const kinds = new Set<string>()
  for (const code of edges) {
    const text = String.fromCodePoint(code)
    let kind = ''
    for (const matcher of matchers) kind += matcher.test(text) ? '1' : '0'
    if (kinds.has(kind)) continue
    const bit = 1n << BigInt(kinds.size)
    kinds.add(kind)
    for (let index = 0; index < kind.length; index++) if (kind[index] === '1') masks[index] = (masks[index] ?? 0n) | bit
  }
  return masks
}

/** Every character that a source names, in whatever way; and some it does not, which do no harm. */
function codesIn(source: string): number[] {
  const unescaped = source.replace(/\\u\{([\da-f]+)\}|\\u([\da-f]{4})|\\x([\da-f]{2})/gi, (_, long, unit, byte) =>
    String.fromCodePoint(Number.parseInt(long ?? unit ?? byte, 16)),
  )
  const text = source + unescaped
  // Surrogates alone too: two escapes in a row need not be one character
  return [...codesOf(text), ...text.split('').map((unit) => unit.charCodeAt(0))]
}

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

/** The characters at which a property of characters begins or ends to hold. Takes some milliseconds, once. */
function edgesOf(property: string): readonly number[] {
  const known = edgesByProperty.get(property)
  if (known) return known
  listed ??= listCharacters()
  const all = listed
  const edges = [...all.matchAll(new RegExp(`${property}+`, 'gu'))].flatMap(({ 0: run, index }) => [
    all.codePointAt(index) ?? 0,
    all.codePointAt(index + run.length) ?? 0,
  ])
  edgesByProperty.set(property, edges)
  return edges
}

/** Kinds of characters that have every property together: ideographs, syllables, and what stands for nothing yet. */
const ALIKE = new RegExp(
  [
    '(?:(?!\\p{Changes_When_NFKC_Casefolded})\\p{Unified_Ideograph})+',
    '\\p{Script=Hangul}+',
    '\\p{Script=Tangut}+',
    '\\p{Co}+',
    '(?:(?![\\p{Extended_Pictographic}\\p{Noncharacter_Code_Point}])\\p{Cn})+',
  ].join('|'),
  'gu',
)
/** Shorter runs of them are listed whole: some are not quite alike. */
const LONG = 1_000

/**
 * The characters up to `LAST_LISTED` in order, but for surrogates, which no well-formed text holds; of a long run that is
 * alike, the ends. So seven of eight need not be looked at for each property.
 */
function listCharacters(): string {
  const parts: string[] = []
  for (let code = 0; code <= LAST_LISTED; code++) {
    if (code < 0xd800 || code > 0xdfff) parts.push(String.fromCodePoint(code))
  }
  return parts.join('').replaceAll(ALIKE, (run) => {
    if (run.length < LONG) return run
    const [first = ''] = run
    return first + run.slice(-first.length)
  })
}
