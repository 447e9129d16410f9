import type { Config, Env } from '../env.ts'
import { createAgentAuthenticator } from '../http/caller/agents.ts'
import { createAuthenticator } from '../http/caller/authenticate.ts'
import type { Authorize, AuthorizerHooks } from '../http/route/authorizer.ts'
import {
  getBackground,
  createAuthorizer,
  createInternalRequests,
  createAnonymousLimit,
} from '../http/route/authorizer.ts'
import type { JwtVerifier } from '../http/caller/jwt.ts'
import { createRateLimit } from '../http/route/rate-limit.ts'
import { createSessions } from '../http/caller/sessions.ts'
import { createKeyUsageTracker } from '../http/route/key-use.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { createCompanyTokenAuthenticator } from './company-tokens.ts'
import type { Recording } from './recording.ts'
import type { Stores } from './stores.ts'

export function composeAuthentication(
  env: Pick<Env, 'RATE_LIMIT'>,
  config: Config,
  stores: Stores,
  recording: Recording,
) {
  const { now } = Date
  const { access, adminKey, allowOrigins, workerSecret, connectIssuer } = config
  const { jwt: jwtOptions } = config
  const jwt = jwtOptions && lazyVerifier((jwts) => jwts.createJwtVerifier(jwtOptions))
  const authentication = { access, adminKey, allowOrigins, findKey: stores.keys.find, sha256, now }
  const authenticator = createAuthenticator({ ...authentication, jwt })
  const { createSession: create, session: find, sessions: list, removeSession: remove } = stores.access
  const sessions = createSessions({
    store: { create, find, list, remove },
    authenticator,
    issuer: config.signIn?.issuer,
    rules: config.people.rules ?? [],
    sha256,
    newId: () => crypto.randomUUID(),
    now,
  })
  const agents = createAgentAuthenticator({ store: stores.connect, loadPrincipal: sessions.loadPrincipal, now })
  const forAgents = connectIssuer === undefined ? agents : createCompanyTokenAuthenticator(config, connectIssuer)
  const engines =
    workerSecret === undefined
      ? undefined
      : createAuthenticator({
          ...authentication,
          jwt: lazyVerifier((jwts) => jwts.createWorkerVerifier(workerSecret, { otherwise: jwt })),
        })

  const rateLimit = createRateLimit(env.RATE_LIMIT, now)
  const own = createInternalRequests()
  const refused = recording.writeRefusal
  const watch: AuthorizerHooks = {
    onDenied: refused,
    onAllowed: createKeyUsageTracker((ids, at) => stores.access.noteUse(ids, at), now),
  }
  // Who is led to sign in is not refused
  const watchVisitors: AuthorizerHooks = {
    ...watch,
    onDenied: (c, failure, principal) => failure.type !== 'unauthenticated' && refused(c, failure, principal),
  }
  const prepare = waitForTools(stores.registry)
  const nothing = () => undefined
  const authorize = createAuthorizer(own.accept(authenticator), rateLimit, prepare, watch)
  return {
    authorize,
    authorizeWithoutTools: createAuthorizer(own.accept(authenticator), rateLimit, nothing, watch),
    authorizePage: createAuthorizer(own.accept(sessions), rateLimit, nothing, watch),
    authorizeToolPage: createAuthorizer(own.accept(sessions), rateLimit, prepare, watch),
    authorizeVisitor: createAuthorizer(
      own.reject({ authenticate: sessions.authenticateVisitor }),
      rateLimit,
      nothing,
      watchVisitors,
    ),
    authorizeAgent: createAuthorizer(forAgents, rateLimit, prepare, watch),
    authorizeEngine: engines ? createAuthorizer(engines, rateLimit, prepare, watch) : authorize,
    limitAnonymous: createAnonymousLimit(rateLimit),
    ownRequest: own.setPrincipal,
    authenticator,
    sessions,
    agents,

    onKeyChange(change: 'created' | 'changed' | 'removed', id: string): void {
      for (const each of engines ? [authenticator, engines] : [authenticator]) {
        if (change === 'removed') each.forgetKey(id)
        else each.forget()
      }
      if (change !== 'removed') return
      sessions.forgetKey(id)
      agents.forgetKey(id)
    },
  }
}

/** Most deployments get none, and what reads them is a tenth of all code that calls need. */
function lazyVerifier(make: (jwts: typeof import('../http/caller/jwt.ts')) => JwtVerifier): JwtVerifier {
  let made: JwtVerifier | undefined
  return {
    async verify(token) {
      made ??= make(await import('../http/caller/jwt.ts'))
      return made.verify(token)
    },
  }
}

function waitForTools({ policies, installBundle }: Pick<Stores['registry'], 'policies' | 'installBundle'>) {
  return (...[c, scope]: Parameters<Authorize>): Promise<unknown> | undefined => {
    const taking = installBundle()
    const background = getBackground(c)
    const reading = policies.ready(background)
    // Whether a call waits depends on the tool
    if (taking && scope === 'tools:call') background(taking)
    else if (taking) return Promise.all([taking, reading])
    return reading
  }
}

export type Authentication = ReturnType<typeof composeAuthentication>
