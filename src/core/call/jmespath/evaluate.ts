import type { Budget } from '../../tool/budget.ts'
import { isJson, isJsonObject, isList, type Json } from '../../tool/json.ts'
import { isFalse, isSame, STEP, valuesOf } from './evaluation.ts'
import type { Node } from './expression.ts'
import { callFunction } from './functions.ts'

/**
 * What an expression selects from a value (JMESPath, "Specification"). Every part visited and every item passed takes units:
 * throws `Exhausted` where there are none left, and `WrongType` for what a function cannot take. Only a value's own members
 * are ever read. The library's evaluation is not used: nothing stops it, and it takes what a value holds for an expression
 * where it looks like one.
 */
export function evaluate(node: Node, value: Json, budget: Budget): Json {
  const visit = (part: Node, on: Json): Json => evaluate(part, on, budget)
  const project = (items: readonly Json[], right: Node): Json => {
    const selected: Json[] = []
    for (const item of items) {
      const each = visit(right, item)
      if (each !== null) selected.push(each)
    }
    return selected
  }

  budget.spend(STEP)
  switch (node.type) {
    case 'Identity':
    case 'Current':
      return value
    case 'Literal': {
      // It came out of a JSON parser
      const literal: unknown = node.value
      return isJson(literal) ? literal : null
    }
    case 'Field':
      return isJsonObject(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null
    case 'Index':
      return isList(value) ? (value.at(node.value) ?? null) : null
    case 'Slice':
      return isList(value) ? slice(value, node, budget) : null
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
      return visit(node.right, visit(node.left, value))
    case 'Projection': {
      const items = visit(node.left, value)
      return isList(items) ? project(items, node.right) : null
    }
    case 'ValueProjection': {
      const members = visit(node.left, value)
      return isJsonObject(members) ? project(valuesOf(members, budget), node.right) : null
    }
    case 'FilterProjection': {
      const items = visit(node.left, value)
      if (!isList(items)) return null
      return project(
        items.filter((item) => !isFalse(visit(node.condition, item), budget)),
        node.right,
      )
    }
    case 'Flatten': {
      const items = visit(node.child, value)
      if (!isList(items)) return null
      for (const item of items) budget.spend(isList(item) ? item.length * STEP : STEP)
      return items.flat()
    }
    case 'MultiSelectList':
      return value === null ? null : node.children.map((child) => visit(child, value))
    case 'MultiSelectHash':
      if (value === null) return null
      return Object.fromEntries(node.children.map((child) => [child.name, visit(child.value, value)]))
    case 'OrExpression': {
      const left = visit(node.left, value)
      return isFalse(left, budget) ? visit(node.right, value) : left
    }
    case 'AndExpression': {
      const left = visit(node.left, value)
      return isFalse(left, budget) ? left : visit(node.right, value)
    }
    case 'NotExpression':
      return isFalse(visit(node.child, value), budget)
    case 'Comparator':
      return compare(node.name, visit(node.left, value), visit(node.right, value), budget)
    case 'Function':
      return callFunction(
        node.name,
        node.children.map((child) =>
          child.type === 'ExpressionReference' ? (on: Json) => visit(child.child, on) : visit(child, value),
        ),
        budget,
      )
    default:
      // No expression that was judged has other parts
      return null
  }
}

/** Only numbers are greater or less (JMESPath, "Filter Expressions"). */
function compare(
  name: Extract<Node, { type: 'Comparator' }>['name'],
  left: Json,
  right: Json,
  budget: Budget,
): boolean | null {
  if (name === 'EQ') return isSame(left, right, budget)
  if (name === 'NE') return !isSame(left, right, budget)
  if (typeof left !== 'number' || typeof right !== 'number') return null
  switch (name) {
    case 'LT':
      return left < right
    case 'LTE':
      return left <= right
    case 'GT':
      return left > right
    case 'GTE':
      return left >= right
  }
}

/** A part of a list, as Python slices it (JMESPath, "Slices"). */
function slice(
  list: readonly Json[],
  { start, stop, step: given }: Extract<Node, { type: 'Slice' }>,
  budget: Budget,
): Json {
  const step = given ?? 1
  const { length } = list
  const [lowest, highest] = step < 0 ? [-1, length - 1] : [0, length]
  const within = (index: number) => Math.min(Math.max(index < 0 ? index + length : index, lowest), highest)
  const from = start === null ? (step < 0 ? highest : lowest) : within(start)
  const to = stop === null ? (step < 0 ? lowest : highest) : within(stop)
  const selected: Json[] = []
  for (let index = from; step < 0 ? index > to : index < to; index += step) {
    budget.spend(STEP)
    selected.push(list[index] ?? null)
  }
  return selected
}
