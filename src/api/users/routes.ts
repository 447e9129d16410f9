import { type Context, Hono } from 'hono'
import { mayActFor } from '../../core/access/principal.ts'
import type { UserGrants } from '../../core/consent/authorization.ts'
import { type Failure, fail, type Result } from '../../core/call/failure.ts'
import type { Gate } from '../../http/gate.ts'
import { pathSegment } from '../../http/path-segment.ts'
import { encodeGrant, encodeGrants, userProblem } from './wire.ts'

export interface GrantsFaceDeps {
  readonly gate: Gate
  readonly grants: UserGrants
  /** Words a failure; the face has no table of its own. */
  readonly respond: (failure: Failure) => Response
}

/**
 * `GET` and `DELETE /users/{user}/grants` and `/users/{user}/grants/{provider}`: what a user has granted, for whoever may
 * act for that user (else `forbidden`). Tokens are in no answer. To forget what is not there is in order for all of them
 * at once, and `not-found` for one.
 */
export function grantsFace({ gate, grants, respond }: GrantsFaceDeps): Hono {
  const face = new Hono()

  face.get('/users/:user/grants', async (c) => {
    const user = await userOf(c)
    if (!user.ok) return respond(user.failure)
    return c.json(encodeGrants(await grants.list(user.value)), 200, NO_STORE)
  })

  face.delete('/users/:user/grants', async (c) => {
    const user = await userOf(c)
    if (!user.ok) return respond(user.failure)
    const held = await grants.list(user.value)
    await Promise.all(held.map(({ provider }) => grants.revoke(user.value, provider)))
    return c.body(null, 204, NO_STORE)
  })

  face.get('/users/:user/grants/:provider', async (c) => {
    const user = await userOf(c)
    if (!user.ok) return respond(user.failure)
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return respond(provider.failure)
    const grant = (await grants.list(user.value)).find((each) => each.provider === provider.value)
    return grant ? c.json(encodeGrant(grant), 200, NO_STORE) : respond(unknown(provider.value))
  })

  face.delete('/users/:user/grants/:provider', async (c) => {
    const user = await userOf(c)
    if (!user.ok) return respond(user.failure)
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return respond(provider.failure)
    const revoked = await grants.revoke(user.value, provider.value)
    return revoked ? c.body(null, 204, NO_STORE) : respond(unknown(provider.value))
  })

  /** The user of the path, for a caller who may act for that user. */
  async function userOf(c: Context): Promise<Result<string>> {
    const caller = await gate(c.req.raw, 'tools:call', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return caller
    if (caller.value.kind === 'anonymous') {
      return fail({ type: 'unauthenticated', reason: "Seeing a user's grants needs a credential" })
    }
    const user = pathSegment(c.req.url, 2)
    if (!user.ok) return user
    const problem = userProblem(user.value)
    if (problem !== undefined) return fail({ type: 'request-malformed', message: problem })
    if (mayActFor(caller.value, user.value)) return user
    return fail({ type: 'forbidden', reason: `The credential may not act for the user '${user.value}'` })
  }

  return face
}

const NO_STORE = { 'cache-control': 'no-store' }

function unknown(provider: string): Failure {
  return { type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` }
}
