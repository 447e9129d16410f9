import type { Config, Env } from '../env.ts'
import { createAgentAuthenticator } from '../http/caller/agents.ts'
import { createAuthenticator } from '../http/caller/authenticate.ts'
import type { Authorize, AuthorizerHooks } from '../http/route/authorizer.ts'
import {
  getBackground,
  createAuthorizer,
  createInternalRequests,
  createStrangerLimit,
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
  const people = { ...config.people, findMembership: stores.access.findMembership }
  const jwt = jwtOptions && lazyVerifier((jwts) => jwts.createJwtVerifier({ ...jwtOptions, people }))
  const credentialOptions = { access, adminKey, allowOrigins, findKey: stores.keys.find, sha256, now }
  const authenticator = createAuthenticator({ ...credentialOptions, jwt })
  const { createSession: create, findSession: find, listSessions: list, removeSession: remove } = stores.access
  const { removeSessions: removeAll } = stores.access
  const sessions = createSessions({
    store: { create, find, list, remove, removeAll },
    authenticator,
    issuer: config.signIn?.issuer,
    rules: config.people.rules ?? [],
    findMembership: stores.access.findMembership,
    sha256,
    newId: () => crypto.randomUUID(),
    now,
  })
  const agents = createAgentAuthenticator({ store: stores.connect, loadPrincipal: sessions.loadPrincipal, now })
  const agentAuthenticator =
    connectIssuer === undefined ? agents : createCompanyTokenAuthenticator(config, connectIssuer, people)
  const engineAuthenticator =
    workerSecret === undefined
      ? undefined
      : createAuthenticator({
          ...credentialOptions,
          jwt: lazyVerifier((jwts) => jwts.createWorkerVerifier(workerSecret, { fallback: jwt })),
        })

  const keyAuthenticators = engineAuthenticator ? [authenticator, engineAuthenticator] : [authenticator]

  const rateLimit = createRateLimit(env.RATE_LIMIT, now)
  const internalRequests = createInternalRequests()
  const writeDenial = recording.writeDenial
  const hooks: AuthorizerHooks = {
    async narrow(principal, c, scope) {
      const { narrowToView } = await import('../http/route/tool-view.ts')
      return narrowToView(principal, c.req.raw, scope, getBackground(c), stores.registry)
    },
    onDenied: writeDenial,
    onAllowed: createKeyUsageTracker((ids, usedAt) => stores.access.noteUse(ids, usedAt), now),
  }
  // A visitor who is sent to sign in is not denied
  const visitorHooks: AuthorizerHooks = {
    ...hooks,
    onDenied: (c, failure, principal) => failure.type !== 'unauthenticated' && writeDenial(c, failure, principal),
  }
  const prepare = waitForTools(stores.registry)
  const prepareNothing = () => undefined
  const authorize = createAuthorizer(internalRequests.accept(authenticator), rateLimit, prepare, hooks)
  return {
    authorize,
    authorizeWithoutTools: createAuthorizer(internalRequests.accept(authenticator), rateLimit, prepareNothing, hooks),
    authorizePage: createAuthorizer(internalRequests.accept(sessions), rateLimit, prepareNothing, hooks),
    authorizeToolPage: createAuthorizer(internalRequests.accept(sessions), rateLimit, prepare, hooks),
    authorizeVisitor: createAuthorizer(
      internalRequests.reject({ authenticate: sessions.authenticateVisitor }),
      rateLimit,
      prepareNothing,
      visitorHooks,
    ),
    authorizeAgent: createAuthorizer(agentAuthenticator, rateLimit, prepare, hooks),
    authorizeEngine: engineAuthenticator ? createAuthorizer(engineAuthenticator, rateLimit, prepare, hooks) : authorize,
    limitAnonymous: createStrangerLimit(rateLimit),
    toInternalRequest: internalRequests.setPrincipal,
    findVisitorSession: (request: Request) => sessions.findSession(internalRequests.getVisit(request)),
    authenticator,
    sessions,
    agents,

    onKeyChange(change: 'created' | 'changed' | 'removed', id: string): void {
      for (const keyAuthenticator of keyAuthenticators) {
        if (change === 'removed') keyAuthenticator.forgetKey(id)
        else keyAuthenticator.forget()
      }
      if (change !== 'removed') return
      sessions.forgetKey(id)
      agents.forgetKey(id)
    },

    /** Call this when the rights of people may have changed. */
    forgetPeople(): void {
      for (const { forget } of [sessions, agents, agentAuthenticator]) forget()
      for (const keyAuthenticator of keyAuthenticators) keyAuthenticator.forgetJwts()
    },
  }
}

/** Loads the JWT code on first use: it is a tenth of the code for calls, and most deployments get no JWTs. */
function lazyVerifier(createVerifier: (jwts: typeof import('../http/caller/jwt.ts')) => JwtVerifier): JwtVerifier {
  let verifier: JwtVerifier | undefined
  return {
    async verify(token) {
      verifier ??= createVerifier(await import('../http/caller/jwt.ts'))
      return verifier.verify(token)
    },
  }
}

function waitForTools({ policies, installBundle }: Pick<Stores['registry'], 'policies' | 'installBundle'>) {
  return (...[c, scope]: Parameters<Authorize>): Promise<unknown> | undefined => {
    const installing = installBundle()
    const background = getBackground(c)
    const loadingPolicies = policies.ready(background)
    // A call waits only if its tool is not known yet
    if (installing && scope === 'tools:call') background(installing)
    else if (installing) return Promise.all([installing, loadingPolicies])
    return loadingPolicies
  }
}

export type Authentication = ReturnType<typeof composeAuthentication>
