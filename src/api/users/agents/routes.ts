import type { Hono } from 'hono'
import type { ListedAgent } from '../../../core/access/agent.ts'
import { mayActFor, type Principal, userOf } from '../../../core/access/principal.ts'
import { ok } from '../../../core/failure/failure.ts'
import type { Agents } from '../../../http/caller/agents.ts'
import { items } from '../../../http/route/answers.ts'
import { createFace, notFound, type RouteDeps } from '../../../http/route/route.ts'
import { ofUser } from '../path-user.ts'

export interface AgentAnswers {
  'GET /users/:user/agents': { readonly items: readonly ReturnType<typeof encodeAgent>[] }
  'DELETE /users/:user/agents': undefined
  'DELETE /users/:user/agents/:id': undefined
}

type Deps = RouteDeps & { readonly agents: Pick<Agents, 'list' | 'remove'> }

/** An agent that is ended has no effect here at once, and nowhere after 60 s. */
export function agentsFace({ agents, ...deps }: Deps): Hono {
  const { face, on } = createFace<AgentAnswers>(deps)
  const OF_USER = ofUser(mayAsk)

  on('GET /users/:user/agents', "List a user's agents", {
    ...OF_USER,
    answers: { 200: items('Agents', 'Agent') },
  })(async ({ path: { user } }) => ok({ items: (await agents.list(user)).map(encodeAgent) }))

  on('DELETE /users/:user/agents', "Disconnect all of a user's agents", {
    ...OF_USER,
    act: 'agent.end',
  })(async ({ path: { user } }) => {
    const all = await agents.list(user)
    await Promise.all(all.map(({ id }) => agents.remove(user, id)))
    return ok(undefined)
  })

  on('DELETE /users/:user/agents/:id', 'Disconnect an agent', {
    ...OF_USER,
    act: 'agent.end',
  })(async ({ path: { user, id } }) => {
    return (await agents.remove(user, id)) ? ok(undefined) : notFound('agent', id)
  })

  return face
}

/** Agents of a principal that may act for several users, or for none, stand under its own name. */
function mayAsk(principal: Principal, user: string): boolean {
  return mayActFor(principal, user) || user === userOf(principal)
}

/** Never the token, nor what it was let in by. */
export function encodeAgent(agent: ListedAgent) {
  const { id, owner, client, toolkits, scopes, origin, created_at, expires_at, used_at } = agent
  return { id, principal: owner, client, toolkits, scopes, origin, created_at, expires_at, ...(used_at && { used_at }) }
}
