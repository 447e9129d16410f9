import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type Json, parseJson } from '../../core/tool/json.ts'
import { pointerStep } from '../../core/tool/problem.ts'

/** A definition's schemas may have 128. */
export const MAX_DEPTH = 136
/** Without one of these no number is too large for a double. */
const MAYBE_TOO_LARGE = /[eE]\+?\d{3}|(?<!\d)\d{100}/

/** Also refuses the key `__proto__`, which copying could take for the prototype, and numbers past doubles. */
export function readJsonText(text: string, depth = MAX_DEPTH): Result<Json> | Promise<Result<Json>> {
  // First, since finding a fault recurses once a level
  if (nestsTooDeep(text, depth)) {
    return malformed(`Cannot accept the body: it nests deeper than ${depth} levels`)
  }
  const value = parseJson(text)
  if (value === undefined) return unparsed(text)
  if (text.includes('__proto__') || text.includes('\\u')) {
    const pointer = pointerTo(value, namesPrototype)
    if (pointer !== undefined) return malformed(`Cannot accept the key '__proto__' at '${pointer}/__proto__'`)
  }
  if (MAYBE_TOO_LARGE.test(text)) {
    const pointer = pointerTo(value, isInfinite)
    if (pointer !== undefined) return malformed(`Cannot accept a number at '${pointer}': it is too large`)
  }
  return ok(value)
}

async function unparsed(text: string): Promise<Failing> {
  const { faultOf } = await import('./json-fault.ts')
  return malformed(`Cannot parse the body as JSON: ${faultOf(text)}`)
}

function malformed(message: string): Failing {
  return fail({ type: 'request-malformed', message })
}

/** Counts brackets outside strings; on a text that is not JSON it may count wrongly, which does no harm. */
export function nestsTooDeep(text: string, limit = MAX_DEPTH): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
      if (index === -1) return false
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > limit) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--
    }
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
  } while (end !== -1 && isEscaped(text, end))
  return end
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (index - first) % 2 === 1
}

function pointerTo(value: unknown, refused: (value: unknown) => boolean, pointer = ''): string | undefined {
  if (refused(value)) return pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = pointerTo(child, refused, pointer + pointerStep(key))
    if (found !== undefined) return found
  }
  return undefined
}

function namesPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')
}

function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity
}
