import type { Json, JsonObject } from '../tool/json.ts'
import { parseValue, integer, custom, type Reader, string, hideValue } from '../tool/json-reader.ts'
import { formatReadError, type Problem } from '../tool/problem.ts'
import { type FailureResult, fail, ok, type Result } from '../failure/failure.ts'

export const identifier = string({ min: 1, max: 256 })

/** Headers cannot be longer. */
export const credentialValue = hideValue(string({ max: 65_536 }))

export const SELECT = 'select'
export const INLINE_BYTES = 'inline_bytes'

/** Returns an option of the call, unless the tool has a parameter with that name. */
export function readOption(name: string, values: JsonObject, contextParameters: readonly string[]): Json | undefined {
  if (!Object.hasOwn(values, name) || contextParameters.includes(name)) return undefined
  // Models send null for omitted options
  return values[name] ?? undefined
}

/** The limit for one response, which may answer a batch. Once it is exceeded, no further part is started. */
export const ANSWER_CHARACTERS = 4 * 1024 * 1024

export const inlineBytes = integer(1, ANSWER_CHARACTERS)

export function readInlineBytes(values: JsonObject, contextParameters: readonly string[]): Result<number | undefined> {
  const inlineOption = readOption(INLINE_BYTES, values, contextParameters)
  const read = inlineOption === undefined ? ok(undefined) : parseValue(inlineBytes, inlineOption)
  if (read.ok) return read
  return malformedRequestFailure(read.problems.map(({ message }) => ({ path: `/context/${INLINE_BYTES}`, message })))
}

export function integerStringReader(least: number, most: number): Reader<number> {
  return custom(
    `an integer from ${least} to ${most}`,
    (value) => {
      const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : -1
      return count >= least && count <= most ? count : undefined
    },
    () => ({ type: 'integer', minimum: least, maximum: most }),
  )
}

export function invalidParameterFailure(parameter: string, expectation: string): FailureResult {
  return malformedRequestFailure([{ path: `/${parameter}`, message: `Must be ${expectation}` }], 'the query')
}

export function malformedRequestFailure(
  problems: readonly Problem[],
  what: 'the body' | 'the query' | 'the path' = 'the body',
) {
  return fail({ type: 'request-malformed', message: formatReadError(what, problems) })
}
