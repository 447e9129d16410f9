import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-fields.ts'
import { CALLER } from '../../http/route/route.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'

export const OF_USER = { ...CALLER, path: { user: identifier } } as const

interface UserRequest {
  readonly principal: Principal
  readonly path: { readonly user: string }
}

export function forUser<R extends UserRequest, T>(handle: (request: R) => Promise<T>, mayAsk = mayActFor) {
  return async (request: R): Promise<T | Failing> => {
    const { principal, path } = request
    if (mayAsk(principal, path.user)) return handle(request)
    return fail({ type: 'forbidden', reason: `The credential may not act for the user '${path.user}'` })
  }
}
