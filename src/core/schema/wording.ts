import type { Problem } from '../tool/problem.ts'

/** The most problems that are told of a schema or a value. */
export const MAX_PROBLEMS = 100

/** Where words end and "..." begins, in lists of allowed values. */
const MAX_LIST_LENGTH = 200

const KINDS: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/**
 * What to tell the giver of a value that breaks a keyword, the same whichever engine found it. `wanted` is the keyword's
 * own value in the schema, as far as the words need it. Never contains the value, which may be a secret.
 */
export function problemMessage(keyword: string, wanted?: unknown): string {
  switch (keyword) {
    case 'type':
      return `Must be ${alternatives((Array.isArray(wanted) ? wanted : [wanted]).map((type) => KINDS[String(type)] ?? String(type)))}`
    case 'enum':
      return `Must be one of ${listed(Array.isArray(wanted) ? wanted : [])}`
    case 'const':
      return `Must be ${listed([wanted])}`
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return 'Is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'Is not a known parameter'
    case 'propertyNames':
      return 'Has a name that is not allowed'
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return 'Has more items than allowed'
    case 'minimum':
      return `Must be at least ${String(wanted)}`
    case 'maximum':
      return `Must be at most ${String(wanted)}`
    case 'exclusiveMinimum':
      return `Must be more than ${String(wanted)}`
    case 'exclusiveMaximum':
      return `Must be less than ${String(wanted)}`
    case 'multipleOf':
      return `Must be a multiple of ${String(wanted)}`
    case 'minLength':
      return `Must be at least ${counted(wanted, 'character')} long`
    case 'maxLength':
      return `Must be at most ${counted(wanted, 'character')} long`
    case 'pattern':
      return `Must match the pattern ${shortened(String(wanted))}`
    case 'minItems':
      return `Must have at least ${counted(wanted, 'item')}`
    case 'maxItems':
      return `Must have at most ${counted(wanted, 'item')}`
    case 'minProperties':
      return `Must have at least ${counted(wanted, 'property', 'properties')}`
    case 'maxProperties':
      return `Must have at most ${counted(wanted, 'property', 'properties')}`
    case 'uniqueItems':
      return 'Must not have the same item twice'
    case 'contains':
    case 'minContains':
    case 'maxContains':
      return 'Must have the right number of items of the required form'
    case 'anyOf':
      return 'Must match one of the allowed forms'
    case 'oneOf':
      return 'Must match exactly one of the allowed forms'
    case 'not':
      return 'Must not have the forbidden form'
    default:
      return 'Is not allowed'
  }
}

/** A problem that an engine found, and the keyword that found it. */
export interface Finding extends Problem {
  readonly keyword: string
}

/**
 * What a validator reports of all it found: each problem once, by path, at most `MAX_PROBLEMS`. Of a value of the wrong
 * type nothing else is said.
 */
export function reported(found: readonly Finding[]): readonly Problem[] {
  const mistyped = new Set(found.filter(({ keyword }) => keyword === 'type').map(({ path }) => path))
  const distinct = new Map<string, Problem>()
  for (const { path, message, keyword } of found) {
    if (mistyped.has(path) && keyword !== 'type') continue
    distinct.set(`${path}\n${message}`, { path, message })
  }
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.slice(0, MAX_PROBLEMS).map(([, problem]) => problem)
}

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? 'of another type'
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last
}

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`
}

/** Strings in single quotes, anything else as JSON, up to some length. */
function listed(values: readonly unknown[]): string {
  const words: string[] = []
  let length = 0
  for (const value of values) {
    const word = shortened(typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
    length += word.length + 2
    if (length > MAX_LIST_LENGTH && words.length > 0) return `${words.join(', ')}, ...`
    words.push(word)
  }
  return words.join(', ')
}

function shortened(text: string): string {
  return text.length > MAX_LIST_LENGTH ? `${text.slice(0, MAX_LIST_LENGTH)}...` : text
}
