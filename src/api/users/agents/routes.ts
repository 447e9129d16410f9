import { type Context, Hono } from 'hono'
import { mayActFor, type Principal, userOf } from '../../../core/access/principal.ts'
import { type Failing, fail } from '../../../core/failure/failure.ts'
import type { Agents } from '../../../http/caller/agents.ts'
import { pathSegment } from '../../../http/request/path-segment.ts'
import { NO_QUERY } from '../../../http/request/query.ts'
import { createPrivateRoute, type RouteDeps } from '../../../http/route/route.ts'
import { userOfPath } from '../path-user.ts'
import { encodeAgent } from './wire.ts'

export interface AgentsFaceDeps extends RouteDeps {
  readonly agents: Pick<Agents, 'list' | 'remove'>
}

/**
 * `GET /users/{user}/agents` and `DELETE /users/{user}/agents[/{id}]`: which agents a user has let act for them, for whoever may
 * act for that user, and for that user themselves (else `forbidden`). One that is ended has no effect here at once, and nowhere after 60 s. To end all is
 * in order where there are none, and `not-found` for one.
 */
export function agentsFace({ agents, ...deps }: AgentsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.get('/users/:user/agents', route({ scope: 'tools:call', query: NO_QUERY }, list))
  face.delete('/users/:user/agents', route({ scope: 'tools:call', act: 'agent.end', query: NO_QUERY }, endAll))
  face.delete('/users/:user/agents/:id', route({ scope: 'tools:call', act: 'agent.end', query: NO_QUERY }, end))

  async function list(c: Context, principal: Principal): Promise<Response | Failing> {
    const user = userOfPath(c.req.url, principal, mayAsk)
    if (!user.ok) return user
    const all = await agents.list(user.value)
    return c.json({ items: all.map(encodeAgent) })
  }

  async function endAll(c: Context, principal: Principal): Promise<Response | Failing> {
    const user = userOfPath(c.req.url, principal, mayAsk)
    if (!user.ok) return user
    const all = await agents.list(user.value)
    await Promise.all(all.map(({ id }) => agents.remove(user.value, id)))
    return c.body(null, 204)
  }

  async function end(c: Context, principal: Principal): Promise<Response | Failing> {
    const user = userOfPath(c.req.url, principal, mayAsk)
    if (!user.ok) return user
    const id = pathSegment(c.req.url, 4)
    if (!id.ok) return id
    if (await agents.remove(user.value, id.value)) return c.body(null, 204)
    return fail({ type: 'not-found', message: `Cannot find the agent '${id.value.slice(0, 100)}'` })
  }

  return face
}

/** Who let an agent act and may act for several users, or for none, has it under their own name. */
function mayAsk(principal: Principal, user: string): boolean {
  return mayActFor(principal, user) || user === userOf(principal)
}
