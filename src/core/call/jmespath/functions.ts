import { bigInteger } from '../../tool/big-integers.ts'
import { isJsonObject, isJsonArray, isNumber, isStringArray, type Json, getJsonType } from '../../tool/json.ts'
import { CHARACTERS, isSame, listKeys, type SearchBudget, STEP, Unselectable, listValues } from './evaluation.ts'

type Expression = (value: Json) => Json
type Argument = Json | Expression

export interface JmesFunction {
  readonly least: number
  readonly most: number
  readonly expression?: number
  readonly call: (take: Take, budget: SearchBudget) => Json
}

/** Characters compared per unit. In the worst case, a text search compares every character with every other. */
const COMPARISONS = 1_000
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/

/** JMESPath, "Built-in Functions". Each spends units for items and characters before processing them. */
export const FUNCTIONS: ReadonlyMap<string, JmesFunction> = new Map<string, JmesFunction>([
  ['abs', withArity(1, (take) => Math.abs(take.number(0)))],
  ['avg', withArity(1, (take) => average(take.numbers(0)))],
  ['ceil', withArity(1, (take) => Math.ceil(take.number(0)))],
  ['contains', withArity(2, contains)],
  ['ends_with', withArity(2, (take) => take.text(0).endsWith(take.text(1)))],
  ['floor', withArity(1, (take) => Math.floor(take.number(0)))],
  ['join', withArity(2, join)],
  ['keys', withArity(1, (take, budget) => listKeys(take.object(0), budget))],
  ['length', withArity(1, length)],
  ['map', { least: 2, most: 2, expression: 0, call: (take) => take.list(1).map(take.expression(0)) }],
  ['max', withArity(1, (take, budget) => extreme(take.comparable(0), 1, budget))],
  ['max_by', by((list, keys, budget) => list[extremeIndex(keys, 1, budget)] ?? null)],
  ['merge', { least: 1, most: Infinity, call: merge }],
  ['min', withArity(1, (take, budget) => extreme(take.comparable(0), -1, budget))],
  ['min_by', by((list, keys, budget) => list[extremeIndex(keys, -1, budget)] ?? null)],
  ['not_null', { least: 1, most: Infinity, call: (take) => take.all().find((each) => each !== null) ?? null }],
  ['reverse', withArity(1, reverse)],
  ['sort', withArity(1, (take, budget) => sortKeys(take.comparable(0), budget).map(({ key }) => key))],
  ['sort_by', by((list, keys, budget) => sortKeys(keys, budget).map(({ index }) => list[index] ?? null))],
  ['starts_with', withArity(2, (take) => take.text(0).startsWith(take.text(1)))],
  ['sum', withArity(1, (take) => take.numbers(0).reduce((sum, each) => sum + each, 0))],
  ['to_array', withArity(1, (take) => (isJsonArray(take.any(0)) ? take.any(0) : [take.any(0)]))],
  ['to_number', withArity(1, toNumber)],
  ['to_string', withArity(1, toText)],
  ['type', withArity(1, (take) => getJsonType(take.any(0)))],
  ['values', withArity(1, (take, budget) => listValues(take.object(0), budget))],
])

export function callFunction(name: string, { call }: JmesFunction, args: readonly Argument[], budget: SearchBudget) {
  const result = call(createArgumentReader(name, args, budget), budget)
  if (typeof result === 'number' && !Number.isFinite(result)) throw new Unselectable(`${name}() gives no finite number`)
  return result
}

type Take = ReturnType<typeof createArgumentReader>

function createArgumentReader(name: string, args: readonly Argument[], budget: SearchBudget) {
  const any = (index: number): Json => {
    const argument = args[index] ?? null
    return typeof argument === 'function' ? null : argument
  }
  const wrong = (index: number, expected: string) => {
    const argument = any(index)
    const argumentType = typeof argument === 'bigint' ? 'an integer that is too large for it' : getJsonType(argument)
    return new Unselectable(
      `${name}() takes ${expected} as argument ${index + 1}, and was given ${argumentType === 'array' ? 'an array of something else' : argumentType}`,
    )
  }
  function take<T extends Json>(index: number, expected: string, is: (value: Json) => value is T): T {
    const value = any(index)
    if (is(value)) return value
    throw wrong(index, expected)
  }
  function list(index: number): readonly Json[] {
    const items = take(index, 'an array', isJsonArray)
    budget.spend(items.length * STEP)
    return items
  }
  const typedList = <T extends readonly Json[]>(index: number, items: string, is: (value: Json) => value is T): T =>
    list(index) && take(index, `an array of ${items}`, is)
  return {
    any,
    all: () => args.map((_, index) => any(index)),
    wrong,
    list,
    number: (index: number) => take(index, 'a number', isDouble),
    object: (index: number) => take(index, 'an object', isJsonObject),
    numbers: (index: number) => typedList(index, 'numbers', isDoubles),
    texts: (index: number) => typedList(index, 'strings', isStringArray),
    comparable: (index: number) => typedList(index, 'numbers, or of strings,', isComparable),
    text(index: number): string {
      const text = take(index, 'a string', isText)
      budget.spend(text.length / CHARACTERS)
      return text
    },
    expression(index: number): Expression {
      const argument = args[index]
      return typeof argument === 'function' ? argument : () => null
    },
  }
}

function withArity(count: number, call: JmesFunction['call']): JmesFunction {
  return { least: count, most: count, call }
}

function by(choose: (list: readonly Json[], keys: readonly Key[], budget: SearchBudget) => Json): JmesFunction {
  return {
    least: 2,
    most: 2,
    expression: 1,
    call(take, budget) {
      const list = take.list(0)
      const keys = list.map(take.expression(1))
      if (isComparable(keys)) return choose(list, keys, budget)
      throw new Unselectable('An array is ordered by a number for each item, or a string for each')
    },
  }
}

const isDouble = (value: Json): value is number => typeof value === 'number'
const isText = (value: Json): value is string => typeof value === 'string'
const isDoubles = (value: Json): value is readonly number[] => isJsonArray(value) && value.every(isDouble)
const isComparable = (value: Json): value is readonly Key[] =>
  isStringArray(value) || (isJsonArray(value) && value.every(isNumber))

function average(numbers: readonly number[]): Json {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

function contains(take: Take, budget: SearchBudget): boolean {
  const subject = take.any(0)
  const sought = take.any(1)
  if (isJsonArray(subject)) return take.list(0).some((each) => isSame(each, sought, budget))
  if (typeof subject !== 'string') throw take.wrong(0, 'an array or a string')
  if (typeof sought !== 'string') return false
  budget.spend(subject.length / CHARACTERS + (subject.length * sought.length) / COMPARISONS)
  return subject.includes(sought)
}

function join(take: Take, budget: SearchBudget): string {
  const glue = take.text(0)
  const texts = take.texts(1)
  const length = texts.reduce((sum, each) => sum + each.length, 0)
  budget.make(length + glue.length * texts.length)
  return texts.join(glue)
}

function length(take: Take, budget: SearchBudget): number {
  const value = take.any(0)
  if (isJsonArray(value)) return value.length
  if (isJsonObject(value)) return listKeys(value, budget).length
  if (typeof value !== 'string') throw take.wrong(0, 'an array, an object or a string')
  let count = 0
  for (const _ of take.text(0)) count++
  return count
}

function reverse(take: Take, budget: SearchBudget): Json {
  const value = take.any(0)
  if (typeof value !== 'string') return take.list(0).toReversed()
  budget.spend(value.length * STEP)
  budget.make(value.length)
  return [...value].toReversed().join('')
}

function merge(take: Take, budget: SearchBudget): Json {
  const members = take.all().flatMap((_, index) => {
    const object = take.object(index)
    return listKeys(object, budget).map((name) => [name, object[name]] as const)
  })
  budget.spend(members.length)
  return Object.fromEntries(members)
}

function toNumber(take: Take): Json {
  const value = take.any(0)
  if (isNumber(value)) return value
  return typeof value === 'string' && NUMBER.test(take.text(0)) ? (bigInteger(value) ?? Number(value)) : null
}

function toText(take: Take, budget: SearchBudget): string {
  const value = take.any(0)
  if (typeof value === 'string') return value
  budget.make(budget.measureSize(value))
  return JSON.stringify(value)
}

type Key = number | bigint | string

function extreme(keys: readonly Key[], direction: 1 | -1, budget: SearchBudget): Json {
  return keys[extremeIndex(keys, direction, budget)] ?? null
}

function extremeIndex(keys: readonly Key[], direction: 1 | -1, budget: SearchBudget): number {
  budget.spend(countCharacters(keys) / COMPARISONS)
  return keys.reduce<number>((best, key, index) => {
    const than = keys[best]
    return than === undefined || compareKeys(key, than) * direction > 0 ? index : best
  }, -1)
}

function sortKeys(keys: readonly Key[], budget: SearchBudget): { readonly key: Key; readonly index: number }[] {
  budget.spend((keys.length * STEP + countCharacters(keys) / COMPARISONS) * Math.log2(keys.length + 1))
  return keys.map((key, index) => ({ key, index })).sort((one, other) => compareKeys(one.key, other.key))
}

function countCharacters(keys: readonly Key[]): number {
  return keys.reduce<number>((sum, key) => sum + (typeof key === 'string' ? key.length : 0), 0)
}

function compareKeys(one: Key, other: Key): number {
  if (one === other) return 0
  return one > other ? 1 : -1
}
