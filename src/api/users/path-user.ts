import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-options.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { CALLER_ROUTE } from '../../http/route/router.ts'

/** Admits only callers who may access the user in the path. */
export function userRoute(mayReadUser = mayActFor) {
  const findDenial = (principal: Principal, { user }: { readonly user: string }): Failure | undefined =>
    mayReadUser(principal, user)
      ? undefined
      : { type: 'forbidden', reason: `The credential may not act for the user '${user}'` }
  return { ...CALLER_ROUTE, path: { user: identifier }, findDenial } as const
}
