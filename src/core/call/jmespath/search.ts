import { type Budget, createBudget, withinBudget } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'
import { SearchBudget, Unselectable } from './evaluation.ts'
import { parse } from './expression.ts'
import { type ExpressionPart, InvalidExpression } from './parts.ts'

const TOO_MUCH_WORK = 'It takes too much work: select less, or in fewer steps'

/** Parses a JMESPath expression into a search of values, or returns what is wrong with it, and where. */
export function createSearch(expression: string) {
  let expressionPart: ExpressionPart
  try {
    expressionPart = parse(expression)
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error
    return { ok: false as const, message: error.message, ...(error.at === undefined ? {} : { at: error.at }) }
  }
  function search(value: Json, parent: Budget = createBudget()) {
    try {
      const selection = withinBudget(() => {
        const budget = new SearchBudget(value, parent)
        const part = expressionPart.select(value, budget)
        // A part that is selected many times takes little memory until it is serialized
        budget.measureSize(part)
        return part
      }, '')
      return selection.ok ? selection : { ok: false as const, why: TOO_MUCH_WORK }
    } catch (error) {
      if (!(error instanceof Unselectable)) throw error
      return { ok: false as const, why: error.message }
    }
  }
  return { ok: true as const, search }
}
