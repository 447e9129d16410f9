/** Matches patterns as a backtracking engine does, and counts its steps instead of its time. */

type Continue = (at: number) => boolean
type Match = (at: number, next: Continue) => boolean
type Node =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'place'; readonly source: string }
  | { readonly kind: 'reference'; readonly group: string }
  | { readonly kind: 'look'; readonly isLagging: boolean; readonly isNegated: boolean; readonly inner: Node }
  | { readonly kind: 'group'; readonly names: readonly string[]; readonly inner: Node }
  | { readonly kind: 'row'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat'
      readonly inner: Node
      readonly least: number
      readonly most: number
      readonly isLazy: boolean
    }

const TOKEN =
  /\(\?(?:<?[=!]|:|<[^>]*>)|\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|x..|c.|u\{[^}]*\}|u.{4}|[^])|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu

function parsePattern(source: string): Node {
  const tokens = source.match(TOKEN) ?? []
  let next = 0
  let groups = 0
  const choice = (): Node => {
    const parts = [row()]
    for (; tokens[next] === '|'; parts.push(row())) next++
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts }
  }
  const row = (): Node => {
    const parts: Node[] = []
    for (let token = tokens[next]; token !== undefined && token !== '|' && token !== ')'; token = tokens[next]) {
      const inner = element(token)
      const [, sign, least, comma, most, lazy] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)$/.exec(tokens[next] ?? '') ?? []
      if (sign === undefined && least === undefined) {
        parts.push(inner)
        continue
      }
      next++
      parts.push({
        kind: 'repeat',
        inner,
        least: sign === undefined ? Number(least) : sign === '+' ? 1 : 0,
        most: sign === undefined ? Number(comma ? most || Infinity : least) : sign === '?' ? 1 : Infinity,
        isLazy: lazy === '?',
      })
    }
    return { kind: 'row', parts }
  }
  const element = (token: string): Node => {
    next++
    if (/^(?:\^|\$|\\[bB])$/.test(token)) return { kind: 'place', source: token }
    const [, group] = /^\\(?:k<(.*)>|[1-9]\d*)$/.exec(token) ?? []
    if (group !== undefined || /^\\[1-9]/.test(token)) return { kind: 'reference', group: group ?? token.slice(1) }
    if (!token.startsWith('(')) return { kind: 'character', source: token }
    const isCapturing = token === '(' || /^\(\?<[^=!]/.test(token)
    const names = isCapturing ? [String(++groups), token.slice(3, -1)] : []
    const inner = choice()
    next++
    const [, behind, sign] = /^\(\?(<?)([=!])$/.exec(token) ?? []
    return sign === undefined
      ? { kind: 'group', names, inner }
      : { kind: 'look', isLagging: behind === '<', isNegated: sign === '!', inner }
  }
  return choice()
}

class TooManySteps extends Error {}

/** Counts the steps of finding all matches, as `replaceAll` does, up to `most`. */
export function stepsOf(pattern: RegExp, text: string, most: number): number {
  let steps = 0
  const captures = new Map<string, string>()
  const flags = pattern.flags.replaceAll(/[^iusv]/g, '')
  const isLine = (at: number) => text[at] === '\n' && pattern.multiline
  const isPlace: Readonly<Record<string, (at: number) => boolean>> = {
    '^': (at) => at === 0 || isLine(at - 1),
    '$': (at) => at === text.length || isLine(at),
    '\\b': (at) => isWord(text[at - 1]) !== isWord(text[at]),
    '\\B': (at) => isWord(text[at - 1]) === isWord(text[at]),
  }
  const step = () => {
    if (++steps >= most) throw new TooManySteps()
  }

  const compile = (node: Node, isBack: boolean): Match => {
    if (node.kind === 'character') {
      const test = characterTest(node.source, flags)
      return (at, next) => {
        step()
        const character = text[isBack ? at - 1 : at]
        return character !== undefined && test(character) && next(isBack ? at - 1 : at + 1)
      }
    }
    if (node.kind === 'place') return (at, next) => (isPlace[node.source]?.(at) ?? false) && next(at)
    if (node.kind === 'reference') {
      return (at, next) => {
        const seen = captures.get(node.group) ?? ''
        steps += seen.length
        const begin = isBack ? at - seen.length : at
        return text.startsWith(seen, begin) && next(isBack ? begin : at + seen.length)
      }
    }
    if (node.kind === 'look') {
      const inner = compile(node.inner, node.isLagging)
      return (at, next) => inner(at, () => true) !== node.isNegated && next(at)
    }
    if (node.kind === 'group') {
      const inner = compile(node.inner, isBack)
      return (at, next) =>
        inner(at, (end) => {
          for (const name of node.names) captures.set(name, text.slice(Math.min(at, end), Math.max(at, end)))
          return next(end)
        })
    }
    if (node.kind === 'choice') {
      const parts = node.parts.map((part) => compile(part, isBack))
      return (at, next) => parts.some((part) => part(at, next))
    }
    if (node.kind === 'row') {
      const parts = node.parts.map((part) => compile(part, isBack))
      const inTurn = isBack ? parts : parts.toReversed()
      return (at, next) => inTurn.reduce<Continue>((then, part) => (place) => part(place, then), next)(at)
    }
    const inner = compile(node.inner, isBack)
    const from =
      (count: number, next: Continue): Continue =>
      (at) => {
        step()
        const more = () =>
          count < node.most && inner(at, (end) => (end !== at || count < node.least) && from(count + 1, next)(end))
        if (count < node.least) return more()
        return node.isLazy ? next(at) || more() : more() || next(at)
      }
    return (at, next) => from(0, next)(at)
  }

  const match = compile(parsePattern(pattern.source), false)
  try {
    for (let at = 0; at <= text.length;) {
      let end = at
      const found = match(at, (place) => {
        end = place
        return true
      })
      if (!found && pattern.sticky) break
      at = Math.max(end, at + 1)
    }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
  }
  return steps
}

const isWord = (character = ' ') => /\w/.test(character)

const tests = new Map<string, (character: string) => boolean>()

function characterTest(source: string, flags: string): (character: string) => boolean {
  const key = `${flags}/${source}`
  const known = tests.get(key)
  if (known) return known
  const verdicts = new Map<string, boolean>()
  const pattern = new RegExp(`^${source}$`, flags)
  const test = (character: string) => {
    const verdict = verdicts.get(character) ?? pattern.test(character)
    verdicts.set(character, verdict)
    return verdict
  }
  tests.set(key, test)
  return test
}

const ALPHABET = [...'a_ -.0A/\\{}[]()<>"\'`#*=:;,@%&|~!+\n\t\rzZ9\u0001éя\u0301']
/** A character that only patterns for any character match. */
const STRANGER = '\u0002'
const ENDS = [STRANGER, '', '\n', 'a', '0', ' ', '-']
const PUMPED = 32
const MAX_STEPS = 50_000
const STEPS_EACH = 4

/** Finds a text of about 100 characters on which the pattern takes quadratic steps, or undefined. */
export function findSlowText(pattern: RegExp): string | undefined {
  const root = parsePattern(pattern.source)
  const flags = pattern.flags.replaceAll(/[^iusv]/g, '')
  const samples = (source: string) =>
    ALPHABET.filter((character) => characterTest(source, flags)(character)).slice(0, 3)
  const letters = new Set<string>([STRANGER])
  const witnesses = new Set<string>([''])
  const shortest = (node: Node, isWhole = false): string => {
    if (node.kind === 'character') return samples(node.source)[0] ?? ''
    if (node.kind === 'group') return shortest(node.inner, isWhole)
    if (node.kind === 'choice') return node.parts[0] ? shortest(node.parts[0], isWhole) : ''
    if (node.kind === 'row') return node.parts.map((part) => shortest(part, isWhole)).join('')
    return node.kind === 'repeat' ? shortest(node.inner, isWhole).repeat(Math.max(node.least, isWhole ? 1 : 0)) : ''
  }
  let repeats = 0
  /** Collects the text before each repetition, and the characters of the pattern. */
  const walk = (node: Node, before: string): void => {
    if (node.kind === 'character') for (const letter of samples(node.source)) letters.add(letter)
    if (node.kind === 'choice') for (const part of node.parts) walk(part, before)
    if (node.kind === 'row') {
      let prefix = before
      for (const part of node.parts) {
        walk(part, prefix)
        prefix += shortest(part, true)
      }
    }
    if (node.kind === 'group' || node.kind === 'look') walk(node.inner, before)
    if (node.kind !== 'repeat') return
    if (node.most > 1_000) {
      repeats++
      witnesses.add(before).add(STRANGER + before)
    }
    walk(node.inner, before)
  }
  walk(root, '')
  if (repeats === 0) return undefined
  const all = [...letters]
  const whole = shortest(root, true)
  const pumps = new Set([...all, ...all.flatMap((one) => all.map((other) => one + other)), ...witnesses, whole])
  pumps.delete('')
  for (const pump of pumps) {
    for (const witness of witnesses) {
      for (const end of ENDS) {
        const text = witness + pump.repeat(Math.max(PUMPED / pump.length, 24)) + end
        const size = Math.max(...[...witnesses].map(({ length }) => length), 4)
        if (stepsOf(pattern, text, text.length * STEPS_EACH * size) < text.length * STEPS_EACH * size) continue
        const twice = witness + pump.repeat(2 * Math.max(PUMPED / pump.length, 24)) + end
        const [once, more] = [text, twice].map((each) => stepsOf(pattern, each, MAX_STEPS)) as [number, number]
        if (once === MAX_STEPS || more > 2.9 * once) return text
      }
    }
  }
  return undefined
}
