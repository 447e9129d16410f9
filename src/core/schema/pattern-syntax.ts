/**
 * A part of a pattern, its repetitions written out: what is left of them are parts that may be read or not. `size` is how
 * many characters it is written with then; `isSure`, whether it has succeeded after each character that it reads.
 */
export type Part = { readonly size: number; readonly isSure: boolean } & (
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'start' | 'end' | 'boundary' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  /** `part` once or more often, of which `least` times at least, even if they read nothing. */
  | { readonly kind: 'loop'; readonly part: Part; readonly least: number }
  | { readonly kind: 'lookahead'; readonly part: Part }
  | { readonly kind: 'lookbehind'; readonly part: Part; readonly repeats: boolean }
  /** Nothing; or `part`, which must read something, and then `rest`. */
  | { readonly kind: 'optional'; readonly part: Part; readonly rest: Part }
)

const ASSERTIONS: ReadonlyMap<string, 'start' | 'end' | 'boundary'> = new Map([
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'boundary'],
  ['\\B', 'boundary'],
])

/** The source of a class that holds every character. */
const ANYTHING = '[^]'

/** Repetitions of a character, or of a group with all its characters, beyond this become loops, which read no less. */
const MAX_WRITTEN_OUT = { character: 64, group: 256 }

/** Groups' beginnings, classes, escapes, quantifiers, and other characters. */
const TOKEN =
  /\(\?(?:<?[=!]|:|<[^>]*>)|\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|x..|c.|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|[^])|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu

/**
 * The tokens of a pattern with flag `u` (ECMA-262 section 22.2.1). Throws a SyntaxError when the engine does, and for
 * groups of a kind that is not known here.
 */
export function tokensOf(pattern: string): readonly string[] {
  new RegExp(pattern, 'u')
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.some((token, index) => token === '(' && tokens[index + 1]?.startsWith('?'))) {
    throw new SyntaxError('Cannot read a group of an unknown kind')
  }
  return tokens
}

/** How often a quantifier repeats at least and at most; undefined for any other token. */
export function repetitionOf(token = ''): { readonly min: number; readonly max: number } | undefined {
  if (/^[*+?]/.test(token)) return { min: token.startsWith('+') ? 1 : 0, max: token.startsWith('?') ? 1 : Infinity }
  const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(token) ?? []
  return min === undefined ? undefined : { min: Number(min), max: Number(comma === '' ? min : max || Infinity) }
}

/** What the tokens of a pattern say. */
export function parsePattern(tokens: readonly string[]): Part {
  let next = 0
  return alternatives()

  function alternatives(): Part {
    const parts = [alternative()]
    for (; tokens[next] === '|'; parts.push(alternative())) next++
    return group('choice', parts)
  }

  function alternative(): Part {
    const parts: Part[] = []
    for (let token = tokens[next]; token !== undefined && token !== '|' && token !== ')'; token = tokens[next]) {
      const part = element(token)
      const repetition = repetitionOf(tokens[next])
      if (repetition) next++
      parts.push(repetition ? repeated(part, repetition.min, repetition.max) : part)
    }
    return sequence(parts)
  }

  function element(token: string): Part {
    const start = next++
    const assertion = ASSERTIONS.get(token)
    if (assertion) return { kind: assertion, size: 0, isSure: false }
    // A back-reference reads what a group has read, which may be anything
    if (/^\\[1-9k]/.test(token)) return { ...repeated(character(ANYTHING), 0, Infinity), isSure: false }
    if (!token.startsWith('(')) return character(token)
    const part = alternatives()
    next++
    const { size } = part
    if (/^\(\?[=!]/.test(token)) return { kind: 'lookahead', part: withoutEnd(part), size, isSure: false }
    if (!/^\(\?<[=!]/.test(token)) return part
    return { kind: 'lookbehind', part, repeats: tokens.slice(start, next).some(repetitionOf), size, isSure: false }
  }
}

/** The pattern as it is matched: begun anywhere, unless it says that it begins where the text does. */
export function searched(pattern: Part): Part {
  return isAnchored(pattern) ? pattern : sequence([repeated(character(ANYTHING), 0, Infinity), pattern])
}

/**
 * The same pattern without the characters that its end may read or not: a match that has come there has succeeded, so
 * that an engine never comes back to read them in another way.
 */
export function withoutEnd(part: Part): Part {
  if (part.kind === 'optional') return part.isSure ? sequence([]) : part
  if (part.kind === 'loop') return part.isSure ? withoutEnd(part.part) : part
  if (part.kind === 'choice') {
    const kept = part.parts.map(withoutEnd)
    return kept.every((each, index) => each === part.parts[index]) ? part : group('choice', kept)
  }
  if (part.kind !== 'sequence' || part.parts.length === 0) return part
  const last = part.parts.at(-1)
  const before = part.parts.slice(0, -1)
  const kept = last && withoutEnd(last)
  if (!kept || kept === last) return part
  return kept.kind === 'sequence' && kept.parts.length === 0
    ? withoutEnd(sequence(before))
    : sequence([...before, kept])
}

function isAnchored(part: Part): boolean {
  if (part.kind === 'choice') return part.parts.every(isAnchored)
  if (part.kind === 'sequence') return part.parts[0] !== undefined && isAnchored(part.parts[0])
  return part.kind === 'start'
}

function character(source: string): Part {
  return { kind: 'character', source, size: 1, isSure: true }
}

function sequence(parts: readonly Part[]): Part {
  return group('sequence', parts)
}

function group(kind: 'sequence' | 'choice', parts: readonly Part[]): Part {
  const [only, ...others] = parts
  if (only && others.length === 0) return only
  const isSure = parts.every((part, at) => part.isSure && (kind === 'choice' || at === 0 || part.kind === 'optional'))
  return { kind, parts, size: parts.reduce((sum, part) => sum + part.size, 0), isSure }
}

function repeated(part: Part, min: number, max: number): Part {
  const limit = part.kind === 'character' ? MAX_WRITTEN_OUT.character : MAX_WRITTEN_OUT.group
  const most = Math.max(1, Math.floor(limit / Math.max(1, part.size)))
  const copies = Array.from({ length: Math.min(min, most) }, () => part)
  if (min <= most && max - min <= most) {
    let further = sequence([])
    for (let time = min; time < max; time++) further = optional(part, further)
    return sequence([...copies, further])
  }
  const least = min === 0 ? 0 : min - copies.length + 1
  const loop: Part = { kind: 'loop', part, least, size: part.size, isSure: part.isSure }
  return sequence([...copies.slice(1), min === 0 ? optional(loop, sequence([])) : loop])
}

function optional(part: Part, rest: Part): Part {
  return { kind: 'optional', part, rest, size: part.size + rest.size, isSure: part.isSure && rest.isSure }
}
