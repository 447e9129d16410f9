import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { UserGrants } from '../../core/consent/authorization.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { optional, string } from '../../core/tool/json-reader.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { NO_QUERY, type Query, query, type ReadOf } from '../../http/request/query.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import { userOfPath } from './path-user.ts'
import { encodeGrant } from './wire.ts'

export interface GrantsFaceDeps extends RouteDeps {
  readonly grants: UserGrants
}

const OF_ONE = query({ account: optional(string()) })
const TAKEN = query({ account: optional(string()), toolkit: optional(string()) })

/**
 * `GET` and `DELETE /users/{user}/grants` and `/users/{user}/grants/{provider}`: what a user has granted, for whoever may
 * act for that user (else `forbidden`), and which toolkits may act with it. `?account=` keeps to one of several accounts,
 * `DELETE …?toolkit=` takes it from one toolkit only. Tokens are in no answer. To forget what is not there is in order for all of them
 * at once, and `not-found` for one.
 */
export function grantsFace({ grants, ...deps }: GrantsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.get('/users/:user/grants', ofUser(list, NO_QUERY))
  face.delete('/users/:user/grants', ofUser(revokeAll, NO_QUERY, 'grant.revoke'))
  face.get('/users/:user/grants/:provider', ofUser(show, OF_ONE))
  face.delete('/users/:user/grants/:provider', ofUser(revoke, TAKEN, 'grant.revoke'))

  function ofUser<Q>(
    handle: (c: Context, user: string, query: Q) => Promise<Response | Failing>,
    reads: Query<Q>,
    act?: string,
  ) {
    const handleOne = async (c: Context, principal: Principal, _: Note, read: Q) => {
      const user = userOfPath(c.req.url, principal)
      return user.ok ? handle(c, user.value, read) : user
    }
    return route({ scope: 'tools:call', query: reads, ...(act === undefined ? {} : { act }) }, handleOne)
  }

  async function list(c: Context, user: string): Promise<Response | Failing> {
    const all = await grants.list(user)
    return c.json({ items: all.map(encodeGrant) })
  }

  async function revokeAll(c: Context, user: string): Promise<Response | Failing> {
    const held = await grants.list(user)
    await Promise.all(held.map(({ provider, account }) => grants.revoke(user, provider, { account })))
    return c.body(null, 204)
  }

  async function show(c: Context, user: string, { account }: ReadOf<typeof OF_ONE>): Promise<Response | Failing> {
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return provider
    const all = (await grants.list(user)).filter((grant) => grant.provider === provider.value)
    const found = all.find((grant) => account === undefined || grant.account === account)
    return found ? c.json(encodeGrant(found)) : unknown(provider.value)
  }

  async function revoke(c: Context, user: string, asked: ReadOf<typeof TAKEN>): Promise<Response | Failing> {
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return provider
    const revoked = await grants.revoke(user, provider.value, asked)
    return revoked ? c.body(null, 204) : unknown(provider.value)
  }

  return face
}

function unknown(provider: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` })
}
