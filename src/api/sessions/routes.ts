import { type Context, Hono } from 'hono'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, type RouteDeps } from '../../http/route/route.ts'
import type { Sessions } from '../../http/caller/sessions.ts'
import { encodeSession } from './wire.ts'

export interface SessionsFaceDeps extends RouteDeps {
  readonly sessions: Pick<Sessions, 'list' | 'remove'>
}

/**
 * `GET /sessions` and `DELETE /sessions/{id}`: where a principal is signed in; for administrators, where anybody is. One that
 * is ended has no effect here at once, and nowhere after 60 s. Others' sessions are `not-found`.
 */
export function sessionsFace({ sessions, ...deps }: SessionsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.get('/sessions', route({ query: NO_QUERY }, list))
  face.delete('/sessions/:id', route({ act: 'session.end', query: NO_QUERY }, end))

  async function list(c: Context, principal: Principal): Promise<Response> {
    const all = await sessions.list(ownerFor(principal))
    return c.json({ items: all.map(encodeSession) })
  }

  async function end(c: Context, principal: Principal): Promise<Response | Failing> {
    const id = pathSegment(c.req.url, 2)
    if (!id.ok) return id
    const removed = await sessions.remove(id.value, ownerFor(principal))
    if (removed) return c.body(null, 204)
    return fail({ type: 'not-found', message: `Cannot find the session '${id.value.slice(0, 100)}'` })
  }

  return face
}

/** Whose sessions a principal may see: administrators anybody's. */
function ownerFor(principal: Principal): string | undefined {
  return hasScope(principal, 'admin') ? undefined : principal.id
}
