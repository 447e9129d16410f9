import { string, unquoted } from '../tool/json-reader.ts'
import { cannotRead, type Problem } from '../tool/problem.ts'
import { type Failing, fail } from './failure.ts'

/** Reads an id of the caller's choosing: of a call, a trace, a message or a user. */
export const identifier = string({ least: 1, most: 256 })

/** Reads a token or a secret. No header takes more. */
export const credentialValue = unquoted(string({ most: 65_536 }))

/** A query parameter that cannot be meant. */
export function wrongParameter(parameter: string, wanted: string): Failing {
  return fail({ type: 'request-malformed', message: `The query parameter '${parameter}' must be ${wanted}` })
}

/**
 * Refuses a query parameter that is called otherwise here, given the names that people try and those that are meant: left
 * alone, it would choose nothing, and everything would be listed. What has nothing to do with ours is left alone.
 */
export function misnamed(
  parameters: { has(name: string): boolean },
  meant: Readonly<Record<string, string>>,
): Failing | undefined {
  const tried = Object.keys(meant).find((name) => parameters.has(name))
  if (tried === undefined) return undefined
  return fail({
    type: 'request-malformed',
    message: `There is no query parameter '${tried}' here: it is '${meant[tried]}'`,
  })
}

/** A request of which a part is not of the form it has there. */
export function malformed(
  problems: readonly Problem[],
  what: 'the body' | 'the query' | 'the path' = 'the body',
): Failing {
  return fail({ type: 'request-malformed', message: cannotRead(what, problems) })
}
