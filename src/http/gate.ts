import { hasScope, type Principal, type Scope } from '../core/access/principal.ts'
import { type Failing, fail, type Result } from '../core/call/failure.ts'
import type { Background } from '../core/tool/platform.ts'
import type { Authenticator } from './authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

/** Lets a request in, as whoever sent it, when that principal has the scope and has not asked too much lately. */
export type Gate = (
  request: Request,
  scope: Scope,
  background: Background,
) => Result<Principal> | Promise<Result<Principal>>

/**
 * `prepare` makes ready what every request needs, and gives undefined once that is done. The rate is held at
 * Cloudflare's edge, which tells each client's address and lets no client set it: elsewhere nobody has to be shielded.
 * Administrators are not held to it.
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
    const address = request.headers.get('cf-connecting-ip')
    const limit = (who: string) => (address === null ? undefined : rateLimit(who, background))
    if (!caller.ok) return limit(`stranger ${address}`) ?? caller
    const principal = caller.value
    if (!hasScope(principal, scope)) return refuse(principal, scope)
    if (principal.kind === 'admin') return caller
    return limit(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id) ?? caller
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

function refuse(principal: Principal, scope: Scope): Failing {
  if (principal.kind === 'anonymous') return fail({ type: 'unauthenticated', reason: 'This needs a credential' })
  return fail({ type: 'forbidden', reason: `This needs the scope '${scope}'` })
}

/** Holds strangers to the same rate where a page needs no credential. Gives why a request is refused now, or undefined. */
export function createShield(rateLimit: RateLimit): (request: Request, background: Background) => Failing | undefined {
  return (request, background) => {
    const address = request.headers.get('cf-connecting-ip')
    return address === null ? undefined : rateLimit(`stranger ${address}`, background)
  }
}
