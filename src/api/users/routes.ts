import type { Hono } from 'hono'
import type { UserGrants, Grant } from '../../core/consent/authorization.ts'
import { type FailureResult, fail, ok } from '../../core/failure/failure.ts'
import { optional, string } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'
import { jsonRef, itemList } from '../../http/route/response-specs.ts'
import { createRouter, type RouteDeps } from '../../http/route/router.ts'
import { ofUser } from './path-user.ts'

export interface GrantAnswers {
  'GET /users/:user/grants': { readonly items: readonly ReturnType<typeof encodeGrant>[] }
  'DELETE /users/:user/grants': undefined
  'DELETE /users/:user/grants/:provider': undefined
}

/** `?account=` keeps to one of several, `DELETE …?toolkit=` takes it from one toolkit only. No answer has a token. */
export function createGrantsRoutes({ grants, ...deps }: RouteDeps & { readonly grants: UserGrants }): Hono {
  const { router, on } = createRouter<GrantAnswers>(deps)
  const OF_USER = ofUser()

  on('GET /users/:user/grants', "List a user's connected accounts", {
    ...OF_USER,
    answers: { 200: itemList('The connected accounts', 'Grant') },
  })(async ({ path: { user } }) => ok({ items: (await grants.list(user)).map(encodeGrant) }))

  on('DELETE /users/:user/grants', "Disconnect all of a user's accounts", {
    ...OF_USER,
    act: 'grant.revoke',
  })(async ({ path: { user } }) => {
    const held = await grants.list(user)
    await Promise.all(held.map(({ provider, account }) => grants.revoke(user, provider, { account })))
    return ok(undefined)
  })

  on('GET /users/:user/grants/:provider', "Get a user's account at a provider", {
    ...OF_USER,
    query: query({ account: optional(string()) }),
    answers: { 200: jsonRef('The connected account', 'Grant') },
  })(async ({ path: { user, provider }, query: { account } }) => {
    const all = (await grants.list(user)).filter((grant) => grant.provider === provider)
    const found = all.find((grant) => account === undefined || grant.account === account)
    return found ? ok(encodeGrant(found)) : unknown(provider)
  })

  on('DELETE /users/:user/grants/:provider', "Disconnect a user's accounts at a provider", {
    ...OF_USER,
    act: 'grant.revoke',
    query: query({ account: optional(string()), toolkit: optional(string()) }),
  })(async ({ path: { user, provider }, query }) => {
    return (await grants.revoke(user, provider, query)) ? ok(undefined) : unknown(provider)
  })

  return router
}

function unknown(provider: string): FailureResult {
  return fail({ type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` })
}

/** Field by field, so that nothing a store keeps beside it is ever shown. */
export function encodeGrant({ provider, account, scopes, granted_at, expires_at, refreshable, toolkits }: Grant) {
  return { provider, account, scopes, granted_at, expires_at, refreshable, toolkits }
}
