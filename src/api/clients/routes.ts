import { type Context, Hono } from 'hono'
import type { OAuthClientStore } from '../../core/access/oauth-client.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { readJson } from '../../http/request/body.ts'
import { isTrustworthy } from '../../http/caller/loopback.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, type RouteDeps } from '../../http/route/route.ts'
import { CLIENT, decodeClient } from './wire.ts'

export interface ClientsFaceDeps extends RouteDeps {
  readonly clients: OAuthClientStore
  /** Called after a client was taken back, so that this isolate's verdicts follow at once. */
  readonly onChange: () => void
}

const BODY_LIMIT = 65_536

/**
 * `POST·GET·DELETE /clients[/{id}]`: the clients that administrators give to hosts which take neither a document nor a
 * registration. A secret is shown once. A client that is taken back ends its agents.
 */
export function clientsFace({ clients, onChange, ...deps }: ClientsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.post('/clients', route({ scope: 'admin', act: 'client.create', query: NO_QUERY, body: CLIENT }, create))
  face.get('/clients', route({ scope: 'admin', query: NO_QUERY }, list))
  face.delete('/clients/:id', route({ scope: 'admin', act: 'client.remove', query: NO_QUERY }, remove))

  async function create(c: Context): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const decoded = decodeClient(body.value)
    if (!decoded.ok) return fail({ type: 'definition-invalid', what: 'client', problems: decoded.problems })
    const url = new URL(c.req.url)
    if (!isTrustworthy(url)) return fail({ type: 'request-malformed', message: 'Agents connect by https' })
    return c.json(await clients.create(url.origin, decoded.value), 201)
  }

  async function list(c: Context): Promise<Response> {
    return c.json({ items: await clients.list() })
  }

  async function remove(c: Context): Promise<Response | Failing> {
    const id = pathSegment(c.req.url, 2)
    if (!id.ok) return id
    const removed = await clients.remove(id.value)
    onChange()
    if (removed) return c.body(null, 204)
    return fail({ type: 'not-found', message: `Cannot find the client '${id.value.slice(0, 100)}'` })
  }

  return face
}
