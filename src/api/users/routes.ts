import type { Hono } from 'hono'
import type { Grant } from '../../core/consent/authorization.ts'
import type { UserConnection, UserConnections } from '../../core/consent/connection.ts'
import { type FailureResult, fail, ok } from '../../core/failure/failure.ts'
import { optional, string } from '../../core/tool/json-reader.ts'
import { defineQuery } from '../../http/request/query.ts'
import { jsonRef, itemList } from '../../http/route/response-specs.ts'
import { createRouter, type RouteDeps } from '../../http/route/router.ts'
import { userRoute } from './path-user.ts'

export interface GrantAnswers {
  'GET /users/:user/connections': { readonly items: readonly ReturnType<typeof encodeConnection>[] }
  'GET /users/:user/grants': { readonly items: readonly ReturnType<typeof encodeGrant>[] }
  'POST /users/:user/connections/:provider/check': ReturnType<typeof encodeConnection>
  'DELETE /users/:user/grants': undefined
  'DELETE /users/:user/grants/:provider': undefined
}

/** `?account=` selects one account; `DELETE …?toolkit=` removes it from one toolkit only. Responses never contain tokens. */
export function createGrantsRoutes({ grants, ...deps }: RouteDeps & { readonly grants: UserConnections }): Hono {
  const { router, on } = createRouter<GrantAnswers>(deps)
  const USER = userRoute()

  on('GET /users/:user/grants', "List a user's connected accounts", {
    ...USER,
    responses: { 200: itemList('The connected accounts', 'Grant') },
  })(async ({ path: { user } }) => ok({ items: (await grants.list(user)).map(encodeGrant) }))

  on('GET /users/:user/connections', "List a user's connected accounts, and whether they work", {
    ...USER,
    responses: { 200: itemList('The connected accounts', 'Connection') },
  })(async ({ path: { user } }) => ok({ items: (await grants.listConnections(user)).map(encodeConnection) }))

  on('POST /users/:user/connections/:provider/check', 'Ask a provider whether a connected account works', {
    ...USER,
    auditAction: 'connection.check',
    query: defineQuery({ account: optional(string()) }),
    responses: { 200: jsonRef('The connected account, updated by the check', 'Connection') },
  })(async ({ path: { user, provider }, query: { account }, addAuditDetails }) => {
    const own = (await grants.listConnections(user)).filter((item) => item.provider === provider)
    const [only, ...others] = own.filter((item) => account === undefined || item.account === account)
    const message = `The user has several accounts at '${provider}': name one with ?account=`
    if (others.length > 0) return fail({ type: 'request-malformed', message })
    const connection = only && (await grants.checkConnection(user, provider, only.account))
    if (!connection) return grantNotFound(provider)
    addAuditDetails({ state: connection.state })
    return ok(encodeConnection(connection))
  })

  on('DELETE /users/:user/grants', "Disconnect all of a user's accounts", {
    ...USER,
    auditAction: 'grant.revoke',
  })(async ({ path: { user } }) => {
    const connections = await grants.listConnections(user)
    await Promise.all(connections.map(({ provider, account }) => grants.revoke(user, provider, { account })))
    return ok(undefined)
  })

  on('GET /users/:user/grants/:provider', "Get a user's account at a provider", {
    ...USER,
    query: defineQuery({ account: optional(string()) }),
    responses: { 200: jsonRef('The connected account', 'Grant') },
  })(async ({ path: { user, provider }, query: { account } }) => {
    const userGrants = await grants.list(user)
    const grant = userGrants.find(
      (grant) => grant.provider === provider && (account === undefined || grant.account === account),
    )
    return grant ? ok(encodeGrant(grant)) : grantNotFound(provider)
  })

  on('DELETE /users/:user/grants/:provider', "Disconnect a user's accounts at a provider", {
    ...USER,
    auditAction: 'grant.revoke',
    query: defineQuery({ account: optional(string()), toolkit: optional(string()) }),
  })(async ({ path: { user, provider }, query }) => {
    return (await grants.revoke(user, provider, query)) ? ok(undefined) : grantNotFound(provider)
  })

  return router
}

function grantNotFound(provider: string): FailureResult {
  return fail({ type: 'not-found', message: `Cannot find a grant at '${provider.slice(0, 200)}'` })
}

/** Copies field by field, so that other stored fields are never shown. */
export function encodeGrant({ provider, account, scopes, granted_at, expires_at, refreshable, toolkits }: Grant) {
  return { provider, account, scopes, granted_at, expires_at, refreshable, toolkits }
}

export function encodeConnection(connection: UserConnection) {
  const { provider_name, kind, state, last_used_at, last_refused_at, reason, answered_as } = connection
  return { ...encodeGrant(connection), provider_name, kind, state, last_used_at, last_refused_at, reason, answered_as }
}
