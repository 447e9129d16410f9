import { hasScope, type Principal, type Scope } from '../core/access.ts'
import { type Failing, fail, type Result } from '../core/failure.ts'
import type { Background } from '../core/resolver.ts'
import type { Authenticator } from './authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

/** Lets a request in, as whoever sent it, when that principal has the scope and has not asked too much lately. */
export type Gate = (
  request: Request,
  scope: Scope,
  background: Background,
) => Result<Principal> | Promise<Result<Principal>>

/**
 * `prepare` makes ready what every request needs, and gives undefined once that is done. Administrators, who include
 * everyone on an open development instance, are not held to the rate.
 */
export function createGate(
  { authenticate }: Authenticator,
  rateLimit: RateLimit,
  prepare: () => Promise<void> | undefined,
): Gate {
  const admit = (
    caller: Result<Principal>,
    request: Request,
    scope: Scope,
    background: Background,
  ): Result<Principal> => {
    if (!caller.ok) return rateLimit(`stranger ${addressOf(request)}`, background) ?? caller
    const principal = caller.value
    if (!hasScope(principal, scope)) return refuse(principal, scope)
    if (principal.kind === 'admin') return caller
    const who = principal.kind === 'anonymous' ? `anonymous ${addressOf(request)}` : principal.id
    return rateLimit(who, background) ?? caller
  }
  return (request, scope, background) => {
    const caller = authenticate(request)
    const preparing = prepare()
    if (!preparing && !(caller instanceof Promise)) return admit(caller, request, scope, background)
    return Promise.all([caller, preparing]).then(
      ([known]) => admit(known, request, scope, background),
      (error: unknown) => {
        console.error('Cannot get ready', error)
        return fail({ type: 'unavailable', message: 'Switchboard cannot reach its registry right now' })
      },
    )
  }
}

/** Where a request comes from, as Cloudflare tells; a client cannot set it there. */
function addressOf(request: Request): string {
  return request.headers.get('cf-connecting-ip') ?? ''
}

function refuse(principal: Principal, scope: Scope): Failing {
  if (principal.kind === 'anonymous') return fail({ type: 'unauthenticated', reason: 'This needs a credential' })
  return fail({ type: 'forbidden', reason: `This needs the scope '${scope}'` })
}
