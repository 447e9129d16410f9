import type { Budget } from '../tool/budget.ts'
import { isJson, type Json } from '../tool/json.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import { toSingleValue } from './output.ts'
import type { ToolSuccess } from './runner.ts'

export type OutputSelector = (
  output: ToolSuccess,
  budget: Budget,
) => ToolSuccess | { readonly ok: false; readonly why: string }

/** Parses a JMESPath expression before the tool runs. The result of the expression becomes the whole output. */
export async function parseSelect(expression: Json): Promise<Result<OutputSelector>> {
  if (typeof expression !== 'string') return fail({ type: 'select-invalid', message: 'it is not a string' })
  const { createSearch } = await import('./jmespath/search.ts')
  const parsedExpression = createSearch(expression)
  if (!parsedExpression.ok)
    return fail({
      type: 'select-invalid',
      message: parsedExpression.message,
      ...(parsedExpression.at === undefined ? {} : { at: parsedExpression.at }),
    })
  return ok((output, budget) => {
    const value = toSingleValue(output)
    const searchResult = parsedExpression.search(isJson(value) ? value : null, budget)
    if (!searchResult.ok) return searchResult
    const { usage } = output
    return { ok: true, value: searchResult.value, selected: true, ...(usage ? { usage } : {}) }
  })
}
