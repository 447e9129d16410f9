import { heldValue } from '../tool/content.ts'
import { isJson, type Json, type JsonObject } from '../tool/json.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import type { Success } from './runner.ts'

/** The field of a context that says which part of the output the caller wants. */
export const SELECT = 'select'

/** Gives the part of an output that a caller wants, in its place; or why there is none. */
export type Select = (output: Success) => Success | { readonly ok: false; readonly why: string }

/** The part of the output that a context asks for, unless the tool takes an input of that name from it. */
export function selectOf(values: JsonObject, contextInputs: readonly string[]): Json | undefined {
  if (!Object.hasOwn(values, SELECT) || contextInputs.includes(SELECT)) return undefined
  // Models send null for what they leave out
  return values[SELECT] ?? undefined
}

/**
 * Reads what a caller wants of an output, a JMESPath expression, before anything runs. What it is applied to is the output as
 * dialects of values alone give it (`heldValue`), and what it gives is all of the output there is: content and artifacts are
 * in the answer only as far as they are selected. The reader is loaded by the first call that selects.
 */
export async function readSelect(expression: Json): Promise<Result<Select>> {
  if (typeof expression !== 'string') return fail({ type: 'select-invalid', message: 'it is no string' })
  const { createSearch } = await import('./jmespath/search.ts')
  const read = createSearch(expression)
  if (!read.ok)
    return fail({ type: 'select-invalid', message: read.message, ...(read.at === undefined ? {} : { at: read.at }) })
  return ok((output) => {
    const held = heldValue(output)
    const found = read.search(isJson(held) ? held : null)
    if (!found.ok) return found
    const { usage } = output
    return { ok: true, value: found.value, selected: true, ...(usage ? { usage } : {}) }
  })
}
