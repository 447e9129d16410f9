import { parsed, type Reader, string, unquoted } from '../tool/json-reader.ts'
import { cannotRead, type Problem } from '../tool/problem.ts'
import { type Failing, fail } from '../failure/failure.ts'

export const identifier = string({ least: 1, most: 256 })

/** No header takes more. */
export const credentialValue = unquoted(string({ most: 65_536 }))

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

export function malformed(
  problems: readonly Problem[],
  what: 'the body' | 'the query' | 'the path' = 'the body',
): Failing {
  return fail({ type: 'request-malformed', message: cannotRead(what, problems) })
}
