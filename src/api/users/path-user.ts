import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-fields.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'

export const OF_USER = { path: { user: identifier } } as const

/** Undefined where a principal may act for a user, or otherwise `mayAsk`. */
export function refuseUser(principal: Principal, user: string, mayAsk = mayActFor): Failing | undefined {
  if (mayAsk(principal, user)) return undefined
  return fail({ type: 'forbidden', reason: `The credential may not act for the user '${user}'` })
}
