import { type Budget, createBudget, isBudgetError } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'
import { SearchBudget, Unselectable } from './evaluation.ts'
import { parse } from './expression.ts'
import { type ExpressionPart, InvalidExpression } from './parts.ts'

/** Reads a JMESPath expression into a search of values, or says what is wrong with it, and where. */
export function createSearch(expression: string) {
  let part: ExpressionPart
  try {
    part = parse(expression)
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error
    return { ok: false as const, message: error.message, ...(error.at === undefined ? {} : { at: error.at }) }
  }
  function search(value: Json, meter: Budget = createBudget()) {
    try {
      const budget = new SearchBudget(value, meter)
      const selected = part.select(value, budget)
      // A part that is selected many times is small until it is written
      budget.measureSize(selected)
      return { ok: true as const, value: selected }
    } catch (error) {
      if (error instanceof Unselectable) return { ok: false as const, why: error.message }
      if (!isBudgetError(error)) throw error
      return { ok: false as const, why: 'It takes too much work: select less, or in fewer steps' }
    }
  }
  return { ok: true as const, search }
}
