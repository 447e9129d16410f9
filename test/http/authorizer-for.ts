import { ADMIN, type Principal } from '../../src/core/access/principal.ts'
import { type Failure, fail, ok } from '../../src/core/failure/failure.ts'
import type { Authenticator } from '../../src/http/caller/authenticate.ts'
import { createAuthorizer, type Authorize } from '../../src/http/route/authorizer.ts'

/** An authorizer for one caller, without a rate limit: a principal, or the failure of its authentication. */
export function authorizerFor(caller: Principal | Failure = ADMIN): Authorize {
  return authorizerWith(async () => ('type' in caller ? fail(caller) : ok(caller)))
}

/** The same for several callers, each authenticated by its request. */
export function authorizerWith(authenticate: Authenticator['authenticate']): Authorize {
  return createAuthorizer(
    { authenticate },
    () => undefined,
    () => undefined,
  )
}
