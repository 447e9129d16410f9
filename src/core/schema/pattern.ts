import { createBudget } from '../tool/budget.ts'
import { parseFailure } from '../tool/problem.ts'

export const MAX_PATTERN_LENGTH = 4096
export const MAX_WRITTEN_OUT = 5_000
const TOO_LONG = `Must be at most ${MAX_WRITTEN_OUT} characters long with its repetitions written out`
const MAX_REPETITIONS = 1_000
const MAX_GROUPS = 100

const TOKEN_UNITS = 10
const WRITTEN_OUT_UNITS = 2
const PROPERTY_UNITS = 100

const TOKEN =
  /\(\?(?:<?[=!]|:|<[^>]*>)|\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|x..|c.|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|[^])|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu

interface Part {
  readonly source: string
  /** The states that may be alive if a match may begin anywhere: its characters and assertions, at least 1. */
  readonly size: number
  /** The states that may be alive if every match begins at the same place. */
  readonly anchoredSize: number
  readonly isFixed: boolean
  readonly isAnchored: boolean
  readonly repetitions: number
}

const EMPTY: Part = { source: '', size: 1, anchoredSize: 0, isFixed: true, isAnchored: false, repetitions: 1 }

const ASSERTIONS: ReadonlyMap<string, Part> = new Map([
  ['^', { ...EMPTY, source: '\\A', isAnchored: true }],
  ['$', { ...EMPTY, source: '\\z' }],
  ['\\b', { ...EMPTY, source: '\\b' }],
  ['\\B', { ...EMPTY, source: '\\B' }],
])

class UnsupportedPatternError extends Error {}

/** Translates an ECMAScript pattern (JSON Schema 2020-12 Validation section 6.3.3). Refuses what RE2 lacks or is not linear. */
export function compileLinearPattern(pattern: string, budget = createBudget()) {
  if (pattern.length > MAX_PATTERN_LENGTH) return parseFailure(`Must be at most ${MAX_PATTERN_LENGTH} characters long`)
  try {
    new RegExp(pattern, 'u')
    const tokens = pattern.match(TOKEN) ?? []
    const { source, size, anchoredSize, isAnchored } = parse(tokens)
    if (size > MAX_WRITTEN_OUT) return parseFailure(TOO_LONG)
    const properties = tokens.filter((token) => /\\p\{/i.test(token)).length
    budget.spend(TOKEN_UNITS * tokens.length + WRITTEN_OUT_UNITS * size + PROPERTY_UNITS * properties)
    return { ok: true as const, value: { source, stepsPerCharacter: Math.max(1, isAnchored ? anchoredSize : size) } }
  } catch (error) {
    if (error instanceof UnsupportedPatternError) return parseFailure(error.message)
    if (!(error instanceof SyntaxError)) throw error
    return parseFailure('Must be a regular expression of ECMAScript, valid with the flag "u"')
  }
}

/** Checks whether backtracking is linear too, as for a sequence of characters, or with `^` also one free repetition. */
export function isSimplePattern(pattern: string): boolean {
  // Checked first, because finding tokens in an invalid expression takes quadratic time
  if (!compileLinearPattern(pattern).ok) return false
  const tokens = pattern.match(TOKEN) ?? []
  const varying = tokens.filter((token) => /^(?:[*+?]|\{\d+,)/.test(token)).length
  const isRow = !tokens.some((token) => token === '|' || token.startsWith('('))
  return isRow && varying <= (tokens[0] === '^' ? 1 : 0)
}

function parse(tokens: readonly string[]): Part {
  let next = 0
  let depth = 0
  return parseAlternatives()

  function parseAlternatives(): Part {
    const branches = [parseSequence()]
    for (; tokens[next] === '|'; branches.push(parseSequence())) next++
    const [onlyBranch, ...otherBranches] = branches
    if (onlyBranch && otherBranches.length === 0) return onlyBranch
    return {
      source: branches.map(({ source }) => source).join('|'),
      size: addUp(branches.map(({ size }) => size)),
      anchoredSize: addUp(branches.map(({ anchoredSize }) => anchoredSize)),
      isFixed: false,
      isAnchored: branches.every(({ isAnchored }) => isAnchored),
      repetitions: findMaximum(branches),
    }
  }

  function parseSequence(): Part {
    const parts: Part[] = []
    for (let token = tokens[next]; token !== undefined && token !== '|' && token !== ')'; token = tokens[next]) {
      const part = parseElement(token)
      const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(tokens[next] ?? '')
      if (quantifier) next++
      parts.push(quantifier ? repeatPart(part, quantifier) : part)
    }
    const varying = parts.findIndex(({ isFixed }) => !isFixed)
    return {
      source: parts.map(({ source }) => source).join(''),
      size: Math.max(1, addUp(parts.map(({ size }) => size))),
      anchoredSize: addUp(
        parts.map(({ size, anchoredSize }, at) => (varying === -1 || at <= varying ? anchoredSize : size)),
      ),
      isFixed: varying === -1,
      isAnchored: parts[0]?.isAnchored ?? false,
      repetitions: findMaximum(parts),
    }
  }

  function parseElement(token: string): Part {
    next++
    const assertion = ASSERTIONS.get(token)
    if (assertion) return assertion
    if (/^\(\?<?[=!]/.test(token))
      throw new UnsupportedPatternError(`Must not look around with '${token}': patterns are matched in linear time`)
    if (/^\\[1-9k]/.test(token))
      throw new UnsupportedPatternError(`Must not refer back with '${token}': patterns are matched in linear time`)
    if (token === '(' && tokens[next] === '?')
      throw new UnsupportedPatternError('Must not change flags within a pattern')
    if (!token.startsWith('(')) return { ...EMPTY, source: translateCharacter(token), size: 1, anchoredSize: 1 }
    if (++depth > MAX_GROUPS) throw new UnsupportedPatternError(`Must not nest more than ${MAX_GROUPS} groups`)
    const part = parseAlternatives()
    depth--
    next++
    return { ...part, source: `(?:${part.source})` }
  }
}

function repeatPart(part: Part, [, sign, minText, comma, maxText]: RegExpExecArray): Part {
  const min = sign === undefined ? Number(minText) : sign === '+' ? 1 : 0
  const max = sign === undefined ? Number(comma ? maxText || Infinity : minText) : sign === '?' ? 1 : Infinity
  const times = max === Infinity ? Math.max(1, min) : max
  const repetitions = part.repetitions * (sign === undefined ? Math.max(1, Math.min(times, MAX_REPETITIONS)) : 1)
  if (repetitions > MAX_REPETITIONS)
    throw new UnsupportedPatternError(
      `Must not repeat more than ${MAX_REPETITIONS} times by repetitions within each other`,
    )
  const size = part.size * Math.max(1, times)
  if (size > MAX_WRITTEN_OUT) throw new UnsupportedPatternError(TOO_LONG)
  return {
    source: sign ? part.source + sign : formatCount(part.source, min, max),
    size,
    anchoredSize: part.size === 1 && part.isFixed ? 1 : size,
    isFixed: part.isFixed && min === max,
    isAnchored: part.isAnchored && min > 0,
    repetitions,
  }
}

/** Chains more than 1,000 repetitions, so that few states are alive at once: `x{1,2048}` has two continuations. */
function formatCount(source: string, min: number, max: number): string {
  const block = `${source}{${MAX_REPETITIONS}}`
  if (min >= MAX_REPETITIONS && max > MAX_REPETITIONS)
    return block + formatCount(source, min - MAX_REPETITIONS, max - MAX_REPETITIONS)
  if (max === Infinity || max <= MAX_REPETITIONS) return `${source}{${min},${max === Infinity ? '' : max}}`
  return `(?:${block}${formatCount(source, 0, max - MAX_REPETITIONS)}|${source}{${min},${MAX_REPETITIONS - 1}})`
}

/** ECMAScript's `\s` (white space and line terminators) is wider than RE2's. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

function translateCharacter(token: string): string {
  if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]'
  if (!token.startsWith('['))
    return /^\\[dDwWsSpP]/.test(token) ? `[${translateMember(token)}]` : translateMember(token)
  const isNegated = token.startsWith('[^')
  const members = token.slice(isNegated ? 2 : 1, -1).match(TOKEN_OF_CLASS) ?? []
  let source = ''
  for (let at = 0; at < members.length; at++) {
    source += translateMember(members[at] ?? '')
    if (members[at + 1] !== '-' || at + 2 >= members.length) continue
    source += `-${translateMember(members[at + 2] ?? '')}`
    at += 2
  }
  if (source === '') return isNegated ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]'
  return `[${isNegated ? '^' : ''}${source}]`
}

const TOKEN_OF_CLASS = /\\(?:[pP]\{[^}]*\}|x..|c.|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|[^])|[^]/gu

function translateMember(token: string): string {
  if (token === '\\s') return SPACE
  if (token === '\\S') return NO_SPACE
  if (/^\\[dDwW]$/.test(token)) return token
  return /^\\[pP]/.test(token) ? translateProperty(token) : `\\x{${readCodePoint(token).toString(16)}}`
}

/** General categories by both of their names, and the binary properties that RE2 supports. */
const PROPERTIES: ReadonlyMap<string, string> = new Map(
  (
    'L=Letter LC=Cased_Letter Lu=Uppercase_Letter Ll=Lowercase_Letter Lt=Titlecase_Letter Lm=Modifier_Letter ' +
    'Lo=Other_Letter M=Mark Mn=Nonspacing_Mark Mc=Spacing_Mark Me=Enclosing_Mark N=Number Nd=Decimal_Number=digit ' +
    'Nl=Letter_Number No=Other_Number P=Punctuation=punct Pc=Connector_Punctuation Pd=Dash_Punctuation ' +
    'Ps=Open_Punctuation Pe=Close_Punctuation Pi=Initial_Punctuation Pf=Final_Punctuation Po=Other_Punctuation ' +
    'S=Symbol Sm=Math_Symbol Sc=Currency_Symbol Sk=Modifier_Symbol So=Other_Symbol Z=Separator Zs=Space_Separator ' +
    'Zl=Line_Separator Zp=Paragraph_Separator C=Other Cc=Control Cf=Format Cs=Surrogate Co=Private_Use Cn=Unassigned ' +
    'Any Assigned ASCII_Hex_Digit Alphabetic Dash Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base ' +
    'Emoji_Presentation Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark Terminal_Punctuation Uppercase ' +
    'White_Space'
  )
    .split(' ')
    .flatMap((names) => names.split('=').map((name, _, [first = name]) => [name, first] as const)),
)
/** RE2 does not know four-letter abbreviations of scripts, except those that are full names. */
const SCRIPT = /^(?:Cham|Kawi|Lisu|Modi|Thai|Toto|\w{2,3}|\w{5,})$/

function translateProperty(token: string): string {
  const [, letter = 'p', kind = '', name = ''] = /^\\([pP])\{(?:(\w+)=)?(\w+)\}$/.exec(token) ?? []
  const property = /^(?:Script|sc)$/.test(kind) && SCRIPT.test(name) ? name : PROPERTIES.get(name)
  if (property !== undefined && !/^(?:Script_Extensions|scx)$/.test(kind)) return `\\${letter}{${property}}`
  const advice = 'write a script or category as \\p{Script=Greek} or \\p{Lu}'
  throw new UnsupportedPatternError(`Must not use the property '${token}': ${advice}`)
}

const CONTROLS: Readonly<Record<string, number>> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

function readCodePoint(token: string): number {
  if (!token.startsWith('\\')) return token.codePointAt(0) ?? 0
  if (token.startsWith('\\c')) return token.charCodeAt(2) % 32
  const [unit, second] = [...token.matchAll(/\\[xu]\{?([\da-f]+)/gi)].map(([, hex = '']) => Number.parseInt(hex, 16))
  if (unit === undefined) return CONTROLS[token.slice(1)] ?? token.codePointAt(1) ?? 0
  return second === undefined ? unit : (String.fromCharCode(unit, second).codePointAt(0) ?? 0)
}

function addUp(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

function findMaximum(parts: readonly Part[]): number {
  return parts.reduce((maximum, { repetitions }) => Math.max(maximum, repetitions), 1)
}
