import { afford, type Budget, createBudget } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'
import { SearchBudget, Unselectable } from './evaluation.ts'
import { parse, type Parsed } from './expression.ts'

export type Search = (
  value: Json,
  meter?: Budget,
) => { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** Reads a JMESPath expression into a search of values, which does its work within a budget; or says what is wrong with it, and where. */
export function createSearch(
  expression: string,
): { readonly ok: true; readonly search: Search } | Exclude<Parsed, { ok: true }> {
  const parsed = parse(expression)
  if (!parsed.ok) return parsed
  return {
    ok: true,
    search(value, meter = createBudget()) {
      try {
        const found = afford(() => {
          const budget = new SearchBudget(value, meter)
          const selected = parsed.part.select(value, budget)
          // A part that is selected many times is small until it is written
          budget.sizeOf(selected)
          return selected
        }, 'It takes too much work: select less, or in fewer steps')
        return found.ok ? found : { ok: false, why: found.problems[0]?.message ?? '' }
      } catch (error) {
        if (error instanceof Unselectable) return { ok: false, why: error.message }
        throw error
      }
    },
  }
}
