import { ANSWER_CHARACTERS } from '../tool/budget.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { check, integer, parsed, type Reader, string, unquoted } from '../tool/json-reader.ts'
import { cannotRead, type Problem } from '../tool/problem.ts'
import { type Failing, fail, ok, type Result } from '../failure/failure.ts'

export const identifier = string({ least: 1, most: 256 })

/** No header takes more. */
export const credentialValue = unquoted(string({ most: 65_536 }))

export const SELECT = 'select'
export const INLINE_BYTES = 'inline_bytes'

/** An option of the call, unless the tool has a parameter of that name. */
export function optionOf(name: string, values: JsonObject, contextInputs: readonly string[]): Json | undefined {
  if (!Object.hasOwn(values, name) || contextInputs.includes(name)) return undefined
  // Models send null for what they leave out
  return values[name] ?? undefined
}

/** One answer may take what all that is written for a request may. */
export const inlineBytes = integer(1, ANSWER_CHARACTERS)

export function inlineBytesOf(values: JsonObject, contextInputs: readonly string[]): Result<number | undefined> {
  const given = optionOf(INLINE_BYTES, values, contextInputs)
  const read = given === undefined ? ok(undefined) : check(inlineBytes, given)
  if (read.ok) return read
  return malformed(read.problems.map(({ message }) => ({ path: `/context/${INLINE_BYTES}`, message })))
}

export function integerText(least: number, most: number): Reader<number> {
  return parsed(
    `an integer from ${least} to ${most}`,
    (value) => {
      const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : -1
      return count >= least && count <= most ? count : undefined
    },
    () => ({ type: 'integer', minimum: least, maximum: most }),
  )
}

export function wrongParameter(parameter: string, wanted: string): Failing {
  return malformed([{ path: `/${parameter}`, message: `Must be ${wanted}` }], 'the query')
}

export function malformed(problems: readonly Problem[], what: 'the body' | 'the query' | 'the path' = 'the body') {
  return fail({ type: 'request-malformed', message: cannotRead(what, problems) })
}
