import type { Hono } from 'hono'
import type { ListedAgent } from '../../../core/access/agent.ts'
import { type Holder, toHolder } from '../../../core/access/holder.ts'
import { mayActFor, type Principal } from '../../../core/access/principal.ts'
import { isAdministrator } from '../../../core/access/toolkit-owner.ts'
import { ok } from '../../../core/failure/failure.ts'
import type { Agents } from '../../../http/caller/agents.ts'
import { itemList } from '../../../http/route/response-specs.ts'
import { createRouter, notFound, type RouteDeps } from '../../../http/route/router.ts'
import { userRoute } from '../path-user.ts'

export interface AgentAnswers {
  'GET /users/:user/agents': { readonly items: readonly ReturnType<typeof encodeAgent>[] }
  'DELETE /users/:user/agents': undefined
  'DELETE /users/:user/agents/:id': undefined
}

type Deps = RouteDeps & { readonly agents: Pick<Agents, 'list' | 'remove' | 'removeAll'> }

/** An ended agent stops working here at once, and everywhere within 60 s. */
export function createAgentsRoutes({ agents, ...deps }: Deps): Hono {
  const { router, on } = createRouter<AgentAnswers>(deps)
  const USER = userRoute(mayListAgents)

  on('GET /users/:user/agents', "List a user's agents", {
    ...USER,
    responses: { 200: itemList('Agents', 'Agent') },
  })(async ({ principal, path: { user } }) => {
    const lists = await Promise.all(listHolders(principal, user).map(agents.list))
    return ok({ items: lists.flat().map(encodeAgent) })
  })

  on('DELETE /users/:user/agents', "Disconnect all of a user's agents", {
    ...USER,
    auditAction: 'agent.end',
  })(async ({ principal, path: { user } }) => {
    await Promise.all(listHolders(principal, user).map(agents.removeAll))
    return ok(undefined)
  })

  on('DELETE /users/:user/agents/:id', 'Disconnect an agent', {
    ...USER,
    auditAction: 'agent.end',
  })(async ({ principal, path: { user, id } }) => {
    const results = await Promise.all(listHolders(principal, user).map((holder) => agents.remove(holder, id)))
    return results.includes(true) ? ok(undefined) : notFound('agent', id)
  })

  return router
}

/** Agents of a principal that may act for several users or none are listed under the principal's own id. */
function listHolders(principal: Principal, id: string): readonly Holder[] {
  const callerHolder = toHolder(principal)
  const isPrincipal = isAdministrator(principal) || (callerHolder.kind === 'principal' && callerHolder.id === id)
  return [
    ...(isPrincipal ? [{ kind: 'principal', id } as const] : []),
    ...(mayActFor(principal, id) ? [{ kind: 'user', id } as const] : []),
  ]
}

const mayListAgents = (principal: Principal, id: string) => listHolders(principal, id).length > 0

/** Never includes the token or how its user authenticated. */
export function encodeAgent(agent: ListedAgent) {
  const { id, owner, client, toolkits, toolset, scopes, origin, created_at, expires_at, used_at } = agent
  const optional = { ...(toolset && { toolset }), ...(used_at && { used_at }) }
  return { id, principal: owner, client, toolkits, scopes, origin, created_at, expires_at, ...optional }
}
