import { isJsonObject, isJsonArray, isNumber, type Json } from '../../tool/json.ts'
import { isFalsy, isSame, type SearchBudget, STEP, listValues } from './evaluation.ts'
import { FUNCTIONS, type JmesFunction, callFunction } from './functions.ts'

/** Throws `BudgetExceededError` if no units are left, and `Unselectable` for a value that a function cannot take. */
type Select = (value: Json, budget: SearchBudget) => Json

export interface ExpressionPart {
  readonly levels: number
  readonly select: Select
  readonly isReference?: true
}

export class InvalidExpression extends Error {
  readonly at: number | undefined
  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }
}

/** Each level is a nested function call. */
const MAX_LEVELS = 64

function part(inner: readonly ExpressionPart[], select: Select): ExpressionPart {
  const levels = 1 + Math.max(0, ...inner.map((each) => each.levels))
  if (levels > MAX_LEVELS) throw new InvalidExpression(`its parts nest deeper than ${MAX_LEVELS} levels`)
  return {
    levels,
    select(value, budget) {
      budget.spend(STEP)
      return select(value, budget)
    },
  }
}

export const CURRENT = part([], (value) => value)

export const literal = (value: Json): ExpressionPart => part([], () => value)

export function createFieldPart(name: string): ExpressionPart {
  return part([], (value) => (isJsonObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null))
}

export function index(at: number): ExpressionPart {
  return part([], (value) => (isJsonArray(value) ? (value.at(at) ?? null) : null))
}

/** Selects the items from `start` up to but excluding `stop`, like Python slices (JMESPath, "Slices"). */
export function slice(start: number | undefined, stop: number | undefined, step = 1): ExpressionPart {
  if (step === 0) throw new InvalidExpression('the step of a slice cannot be 0')
  return part([], (value, budget) => {
    if (!isJsonArray(value)) return null
    const { length } = value
    const [lowest, highest] = step < 0 ? [-1, length - 1] : [0, length]
    const clamp = (place: number) => Math.min(Math.max(place < 0 ? place + length : place, lowest), highest)
    const from = start === undefined ? (step < 0 ? highest : lowest) : clamp(start)
    const to = stop === undefined ? (step < 0 ? lowest : highest) : clamp(stop)
    const items: Json[] = []
    for (let at = from; step < 0 ? at > to : at < to; at += step) {
      budget.spend(STEP)
      items.push(value[at] ?? null)
    }
    return items
  })
}

export function pipe(left: ExpressionPart, right: ExpressionPart): ExpressionPart {
  return part([left, right], (value, budget) => right.select(left.select(value, budget), budget))
}

function selectEach(items: readonly Json[], { select }: ExpressionPart, budget: SearchBudget): Json {
  return items.map((item) => select(item, budget)).filter((selected) => selected !== null)
}

export function projection(left: ExpressionPart, right: ExpressionPart): ExpressionPart {
  return part([left, right], (value, budget) => {
    const items = left.select(value, budget)
    return isJsonArray(items) ? selectEach(items, right, budget) : null
  })
}

export function valueProjection(left: ExpressionPart, right: ExpressionPart): ExpressionPart {
  return part([left, right], (value, budget) => {
    const members = left.select(value, budget)
    return isJsonObject(members) ? selectEach(listValues(members, budget), right, budget) : null
  })
}

export function filterProjection(left: ExpressionPart, condition: ExpressionPart, right: ExpressionPart) {
  return part([left, condition, right], (value, budget) => {
    const items = left.select(value, budget)
    if (!isJsonArray(items)) return null
    const matches = items.filter((item) => !isFalsy(condition.select(item, budget), budget))
    return selectEach(matches, right, budget)
  })
}

export function flatten(inner: ExpressionPart): ExpressionPart {
  return part([inner], (value, budget) => {
    const items = inner.select(value, budget)
    if (!isJsonArray(items)) return null
    for (const item of items) budget.spend(isJsonArray(item) ? item.length * STEP : STEP)
    return items.flat()
  })
}

export function multiSelectList(items: readonly ExpressionPart[]): ExpressionPart {
  return part(items, (value, budget) => (value === null ? null : items.map((item) => item.select(value, budget))))
}

export function multiSelectHash(members: readonly (readonly [name: string, ExpressionPart])[]): ExpressionPart {
  const parts = members.map(([, member]) => member)
  return part(parts, (value, budget) => {
    if (value === null) return null
    return Object.fromEntries(members.map(([name, member]) => [name, member.select(value, budget)]))
  })
}

export function orExpression(left: ExpressionPart, right: ExpressionPart, takesFalse: boolean): ExpressionPart {
  return part([left, right], (value, budget) => {
    const selected = left.select(value, budget)
    return isFalsy(selected, budget) === takesFalse ? selected : right.select(value, budget)
  })
}

export function not(inner: ExpressionPart): ExpressionPart {
  return part([inner], (value, budget) => isFalsy(inner.select(value, budget), budget))
}

/** Compares two parts. Only numbers can be greater or less (JMESPath, "Filter Expressions"). */
export function comparison(sign: string, left: ExpressionPart, right: ExpressionPart): ExpressionPart {
  return part([left, right], (value, budget) => {
    const one = left.select(value, budget)
    const other = right.select(value, budget)
    if (sign === '==') return isSame(one, other, budget)
    if (sign === '!=') return !isSame(one, other, budget)
    if (!isNumber(one) || !isNumber(other)) return null
    if (one === other) return sign === '<=' || sign === '>='
    return sign.startsWith('<') ? one < other : one > other
  })
}

export function functionCall(name: string, args: readonly ExpressionPart[]): ExpressionPart {
  const definition = FUNCTIONS.get(name)
  if (!definition) throw new InvalidExpression(`there is no function '${name}'`)
  const problem = argumentsProblem(definition, args)
  if (problem) throw new InvalidExpression(`the function '${name}' takes ${problem}`)
  return part(args, (value, budget) => {
    const values = args.map(({ isReference, select }) =>
      isReference ? (item: Json) => select(item, budget) : select(value, budget),
    )
    return callFunction(name, definition, values, budget)
  })
}

function argumentsProblem({ least, most, expression }: JmesFunction, args: readonly ExpressionPart[]) {
  const { length } = args
  if (length < least || length > most) {
    const number = least === most ? `${least}` : `at least ${least}`
    return `${number} argument${least === 1 ? '' : 's'}, and has ${length}`
  }
  if (args.every(({ isReference = false }, place) => isReference === (expression === place))) return undefined
  return expression === undefined ? 'no expression (&)' : `one expression (&), as argument ${expression + 1}`
}
