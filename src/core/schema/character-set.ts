import type { AST } from '@eslint-community/regexpp'

/** Inclusive ranges of code points, ascending and disjoint. */
export type CharacterSet = readonly (readonly [number, number])[]

const LAST = 0x10ffff

/** Any character, line breaks too. */
export const ANYTHING: CharacterSet = [[0, LAST]]

const DIGIT: CharacterSet = [[0x30, 0x39]]
const WORD: CharacterSet = [...DIGIT, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const LINE_BREAK: CharacterSet = ranges([0x0a, 0x0d, 0x2028, 0x2029])
const SPACE: CharacterSet = ranges([
  9,
  10,
  11,
  12,
  13,
  0x20,
  0xa0,
  0x1680,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff,
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
])

/** What one element of a pattern matches (ECMA-262 section 22.2.2.9, flag `u`). */
export function characterSet(element: AST.Character | AST.CharacterClass | AST.CharacterSet): CharacterSet {
  if (element.type === 'Character') return [[element.value, element.value]]
  if (element.type === 'CharacterSet') return escape(element)
  const parts: (readonly [number, number])[] = []
  for (const each of element.elements) {
    if (each.type === 'CharacterClassRange') parts.push([each.min.value, each.max.value])
    else if (each.type === 'Character' || each.type === 'CharacterSet') parts.push(...characterSet(each))
    // The other elements need flag `v`, which JSON Schema patterns do not have.
  }
  const union = merge(parts)
  return element.negate ? complement(union) : union
}

function escape(element: AST.CharacterSet): CharacterSet {
  if (element.kind === 'any') return complement(LINE_BREAK)
  if (element.kind === 'property') return property(element.raw)
  const set = element.kind === 'digit' ? DIGIT : element.kind === 'space' ? SPACE : WORD
  return element.negate ? complement(set) : set
}

/** Unicode assigns characters up to here, and nearly none above (planes 4 to 13 are empty, 15 and 16 private). */
const LAST_LISTED = 0x323af
let listed: string | undefined

/** The set of `\p{...}`: the engine's own answer up to U+323AF; above, all or nothing, erring towards all. */
function property(source: string): CharacterSet {
  listed ??= listCharacters()
  const found: (readonly [number, number])[] = []
  for (const run of listed.matchAll(new RegExp(`${source}+`, 'gu'))) {
    const [text] = run
    const first = text.codePointAt(0) ?? 0
    const last = text.codePointAt(text.length - (isLowSurrogate(text.charCodeAt(text.length - 1)) ? 2 : 1)) ?? first
    found.push([first, last])
  }
  const above = ['\u{3fffd}', '\u{3ffff}', '\u{e0001}', '\u{e0100}', '\u{f0000}']
  if (above.some((each) => new RegExp(source, 'u').test(each))) found.push([LAST_LISTED + 1, LAST])
  return merge(found)
}

/** All characters up to `LAST_LISTED` but the surrogates, which no well-formed text holds. */
function listCharacters(): string {
  const parts: string[] = []
  for (let code = 0; code <= LAST_LISTED; code++) {
    if (code < 0xd800 || code > 0xdfff) parts.push(String.fromCodePoint(code))
  }
  return parts.join('')
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function ranges(codes: readonly number[]): CharacterSet {
  return merge(codes.map((code) => [code, code]))
}

function merge(parts: readonly (readonly [number, number])[]): CharacterSet {
  const merged: [number, number][] = []
  for (const [from, to] of parts.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function complement(set: CharacterSet): CharacterSet {
  const gaps: [number, number][] = []
  let next = 0
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1])
    next = to + 1
  }
  if (next <= LAST) gaps.push([next, LAST])
  return gaps
}

/**
 * Turns sets into bit masks: two sets share a character exactly if their masks share a bit. One bit stands for all the
 * characters that lie in the same sets.
 */
export function masks(sets: readonly CharacterSet[], spend: (steps: number) => void): bigint[] {
  const edges = new Set<number>()
  for (const set of sets) for (const [from, to] of set) edges.add(from).add(to + 1)
  const starts = [...edges].sort((a, b) => a - b)
  spend(starts.length * sets.length)
  const cursors = sets.map(() => 0)
  const bits = new Map<string, bigint>()
  const result = sets.map(() => 0n)
  for (const start of starts) {
    const members: number[] = []
    for (const [index, set] of sets.entries()) {
      let at = cursors[index] ?? 0
      while ((set[at]?.[1] ?? Infinity) < start) at++
      cursors[index] = at
      if ((set[at]?.[0] ?? Infinity) <= start) members.push(index)
    }
    const key = members.join()
    const bit = bits.get(key) ?? 1n << BigInt(bits.size)
    bits.set(key, bit)
    for (const index of members) result[index] = (result[index] ?? 0n) | bit
  }
  return result
}
