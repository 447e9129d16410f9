import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { UserGrants } from '../../core/consent/authorization.ts'
import { type Failing, fail } from '../../core/call/failure.ts'
import { pathSegment } from '../../http/path-segment.ts'
import { createPrivateRoute, type RouteDeps } from '../../http/route.ts'
import { userOfPath } from './path-user.ts'
import { encodeGrant } from './wire.ts'

export interface GrantsFaceDeps extends RouteDeps {
  readonly grants: UserGrants
}

/**
 * `GET` and `DELETE /users/{user}/grants` and `/users/{user}/grants/{provider}`: what a user has granted, for whoever may
 * act for that user (else `forbidden`), and which toolkits may act with it. `?account=` keeps to one of several accounts,
 * `DELETE …?toolkit=` takes it from one toolkit only. Tokens are in no answer. To forget what is not there is in order for all of them
 * at once, and `not-found` for one.
 */
export function grantsFace({ grants, ...deps }: GrantsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.get('/users/:user/grants', ofUser(list))
  face.delete('/users/:user/grants', ofUser(revokeAll, 'grant.revoke'))
  face.get('/users/:user/grants/:provider', ofUser(show))
  face.delete('/users/:user/grants/:provider', ofUser(revoke, 'grant.revoke'))

  function ofUser(handle: (c: Context, user: string) => Promise<Response | Failing>, act?: string) {
    const handleOne = async (c: Context, principal: Principal) => {
      const user = userOfPath(c.req.url, principal)
      return user.ok ? handle(c, user.value) : user
    }
    return route('tools:call', handleOne, act)
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

  async function show(c: Context, user: string): Promise<Response | Failing> {
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return provider
    const account = c.req.query('account')
    const all = (await grants.list(user)).filter((grant) => grant.provider === provider.value)
    const found = all.find((grant) => account === undefined || grant.account === account)
    return found ? c.json(encodeGrant(found)) : unknown(provider.value)
  }

  async function revoke(c: Context, user: string): Promise<Response | Failing> {
    const provider = pathSegment(c.req.url, 4)
    if (!provider.ok) return provider
    const revoked = await grants.revoke(user, provider.value, {
      ...given('account', c.req.query('account')),
      ...given('toolkit', c.req.query('toolkit')),
    })
    return revoked ? c.body(null, 204) : unknown(provider.value)
  }

  return face
}

function given<K extends string>(name: K, value: string | undefined) {
  return value === undefined ? {} : { [name]: value }
}

function unknown(provider: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` })
}
