import type { Budget } from '../tool/budget.ts'
import { isJson, type Json } from '../tool/json.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import { toSingleValue } from './run.ts'
import type { ToolSuccess } from './runner.ts'

export type OutputSelector = (
  output: ToolSuccess,
  meter: Budget,
) => ToolSuccess | { readonly ok: false; readonly why: string }

/** Reads a JMESPath expression before anything runs; its result becomes the whole output. */
export async function parseSelect(expression: Json): Promise<Result<OutputSelector>> {
  if (typeof expression !== 'string') return fail({ type: 'select-invalid', message: 'it is not a string' })
  const { createSearch } = await import('./jmespath/search.ts')
  const read = createSearch(expression)
  if (!read.ok)
    return fail({ type: 'select-invalid', message: read.message, ...(read.at === undefined ? {} : { at: read.at }) })
  return ok((output, meter) => {
    const held = toSingleValue(output)
    const found = read.search(isJson(held) ? held : null, meter)
    if (!found.ok) return found
    const { usage } = output
    return { ok: true, value: found.value, selected: true, ...(usage ? { usage } : {}) }
  })
}
