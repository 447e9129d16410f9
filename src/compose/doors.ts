import type { Config, Env } from '../env.ts'
import { createAgents } from '../http/caller/agents.ts'
import { createAuthenticator } from '../http/caller/authenticate.ts'
import type { Gate, GateWatch } from '../http/route/gate.ts'
import { backgroundOf, createGate, createOwnRequests, createShield } from '../http/route/gate.ts'
import type { JwtVerifier } from '../http/caller/jwt.ts'
import { createRateLimit } from '../http/route/rate-limit.ts'
import { createSessions } from '../http/caller/sessions.ts'
import { createKeyUse } from '../http/route/key-use.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { companyTokens } from './company-tokens.ts'
import type { Recording } from './recording.ts'
import type { Stores } from './stores.ts'

export function createDoors(env: Pick<Env, 'RATE_LIMIT'>, config: Config, stores: Stores, recording: Recording) {
  const { now } = Date
  const { access, adminKey, allowOrigins, workerSecret, connectIssuer } = config
  const { jwt: jwtOptions } = config
  const jwt = jwtOptions && loadedWithFirst((jwts) => jwts.createJwtVerifier(jwtOptions))
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
  const agents = createAgents({ store: stores.connect, holderOf: sessions.holderOf, now })
  const forAgents = connectIssuer === undefined ? agents : companyTokens(config, connectIssuer)
  const engines =
    workerSecret === undefined
      ? undefined
      : createAuthenticator({
          ...authentication,
          jwt: loadedWithFirst((jwts) => jwts.createWorkerVerifier(workerSecret, { otherwise: jwt })),
        })

  const rateLimit = createRateLimit(env.RATE_LIMIT, now)
  const own = createOwnRequests()
  const refused = recording.writeRefusal
  const watch: GateWatch = {
    refused,
    admitted: createKeyUse((ids, at) => stores.access.noteUse(ids, at), now),
  }
  // Who is led to sign in is not refused
  const watchVisitors: GateWatch = {
    ...watch,
    refused: (c, failure, principal) => failure.type !== 'unauthenticated' && refused(c, failure, principal),
  }
  const prepare = prepareTools(stores.registry)
  const nothing = () => undefined
  const gate = createGate(own.before(authenticator), rateLimit, prepare, watch)
  return {
    gate,
    gateBesideTools: createGate(own.before(authenticator), rateLimit, nothing, watch),
    gateForPages: createGate(own.before(sessions), rateLimit, nothing, watch),
    gateForToolPages: createGate(own.before(sessions), rateLimit, prepare, watch),
    gateForVisitors: createGate(own.outside({ authenticate: sessions.visitor }), rateLimit, nothing, watchVisitors),
    gateForAgents: createGate(forAgents, rateLimit, prepare, watch),
    gateForEngines: engines ? createGate(engines, rateLimit, prepare, watch) : gate,
    shield: createShield(rateLimit),
    ownRequest: own.of,
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
function loadedWithFirst(make: (jwts: typeof import('../http/caller/jwt.ts')) => JwtVerifier): JwtVerifier {
  let made: JwtVerifier | undefined
  return {
    async verify(token) {
      made ??= make(await import('../http/caller/jwt.ts'))
      return made.verify(token)
    },
  }
}

function prepareTools({ policies, takeIn }: Pick<Stores['registry'], 'policies' | 'takeIn'>) {
  return (...[c, scope]: Parameters<Gate>): Promise<unknown> | undefined => {
    const taking = takeIn()
    const background = backgroundOf(c)
    const reading = policies.ready(background)
    // Whether a call waits depends on the tool
    if (taking && scope === 'tools:call') background(taking)
    else if (taking) return Promise.all([taking, reading])
    return reading
  }
}

export type Doors = ReturnType<typeof createDoors>
