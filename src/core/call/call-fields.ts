import { string, unquoted } from '../tool/json-reader.ts'
import { cannotRead, type Problem } from '../tool/problem.ts'
import { type Failing, fail } from './failure.ts'

/** Reads an id of the caller's choosing: of a call, a trace, a message or a user. */
export const identifier = string({ least: 1, most: 256 })

/** Reads a token or a secret. No header takes more. */
export const credentialValue = unquoted(string({ most: 65_536 }))

/** A request whose body is not of the dialect's form. */
export function malformed(problems: readonly Problem[]): Failing {
  return fail({ type: 'request-malformed', message: cannotRead('the body', problems) })
}
