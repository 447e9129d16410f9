import { ADMIN, type Principal } from '../../src/core/access/principal.ts'
import { type Failure, fail, ok } from '../../src/core/failure/failure.ts'
import type { Authenticator } from '../../src/http/caller/authenticate.ts'
import { createAuthorizer, type Authorize } from '../../src/http/route/authorizer.ts'

/** The real gate, of a registry that is ready and without a rate, for one caller: a principal, or why nobody is let in. */
export function gateFor(caller: Principal | Failure = ADMIN): Authorize {
  return gateOf(() => ('type' in caller ? fail(caller) : ok(caller)))
}

/** The same for callers who are told apart. */
export function gateOf(authenticate: Authenticator['authenticate']): Authorize {
  return createAuthorizer(
    { authenticate },
    () => undefined,
    () => undefined,
  )
}
