import type { Problem } from '../tool/problem.ts'

export const MAX_PROBLEMS = 100

const MAX_LIST_LENGTH = 200

type Message = string | ((operand: unknown) => string)

const MESSAGES: ReadonlyMap<string, Message> = new Map<string, Message>([
  ['type', (operand) => `Must be ${joinAlternatives(toList(operand).map(formatKind))}`],
  ['enum', (operand) => `Must be one of ${formatValues(toList(operand))}`],
  ['const', (operand) => `Must be ${formatValues([operand])}`],
  ...withMessage(['required', 'dependentRequired', 'dependencies'], 'Is required'),
  ...withMessage(['additionalProperties', 'unevaluatedProperties'], 'Is not a known parameter'),
  ['propertyNames', 'Has a name that is not allowed'],
  ...withMessage(['items', 'additionalItems', 'unevaluatedItems'], 'Has more items than allowed'),
  ['minimum', (operand) => `Must be at least ${String(operand)}`],
  ['maximum', (operand) => `Must be at most ${String(operand)}`],
  ['exclusiveMinimum', (operand) => `Must be more than ${String(operand)}`],
  ['exclusiveMaximum', (operand) => `Must be less than ${String(operand)}`],
  ['multipleOf', (operand) => `Must be a multiple of ${String(operand)}`],
  ['minLength', (operand) => `Must be at least ${formatCount(operand, 'character')} long`],
  ['maxLength', (operand) => `Must be at most ${formatCount(operand, 'character')} long`],
  ['pattern', (operand) => `Must match the pattern ${shorten(String(operand))}`],
  ['minItems', (operand) => `Must have at least ${formatCount(operand, 'item')}`],
  ['maxItems', (operand) => `Must have at most ${formatCount(operand, 'item')}`],
  ['minProperties', (operand) => `Must have at least ${formatCount(operand, 'property', 'properties')}`],
  ['maxProperties', (operand) => `Must have at most ${formatCount(operand, 'property', 'properties')}`],
  ['uniqueItems', 'Must not have the same item twice'],
  ...withMessage(
    ['contains', 'minContains', 'maxContains'],
    'Must have the right number of items of the required form',
  ),
  ['anyOf', 'Must match one of the allowed forms'],
  ['oneOf', 'Must match exactly one of the allowed forms'],
  ['not', 'Must not have the forbidden form'],
])

/** Never contains the value, which may be a secret. */
export function problemMessage(keyword: string, operand?: unknown): string {
  const message = MESSAGES.get(keyword) ?? 'Is not allowed'
  return typeof message === 'string' ? message : message(operand)
}

export interface ValidationError extends Problem {
  readonly keyword: string
}

export function limitErrors(errors: readonly ValidationError[]): readonly Problem[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ path }) => path))
  const distinct = new Map<string, Problem>()
  for (const { path, message, keyword } of errors) {
    if (mistyped.has(path) && keyword !== 'type') continue
    distinct.set(`${path}\n${message}`, { path, message })
  }
  const sortedEntries = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1))
  return sortedEntries.slice(0, MAX_PROBLEMS).map(([, problem]) => problem)
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function withMessage(keywords: readonly string[], message: string): [string, string][] {
  return keywords.map((keyword) => [keyword, message])
}

function formatKind(type: unknown): string {
  const word = String(type)
  if (['array', 'integer', 'object'].includes(word)) return `an ${word}`
  return ['boolean', 'number', 'string'].includes(word) ? `a ${word}` : word
}

function joinAlternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? 'of another type'
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last
}

function formatCount(count: unknown, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`
}

function formatValues(values: readonly unknown[]): string {
  const words: string[] = []
  let length = 0
  for (const value of values) {
    const word = shorten(typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
    length += word.length + 2
    if (length > MAX_LIST_LENGTH && words.length > 0) return `${words.join(', ')}, ...`
    words.push(word)
  }
  return words.join(', ')
}

function shorten(text: string): string {
  return text.length > MAX_LIST_LENGTH ? `${text.slice(0, MAX_LIST_LENGTH)}...` : text
}
