import { type Context, Hono } from 'hono'
import type { Failing, Failure } from '../../core/failure/failure.ts'
import { preflight } from '../answer/cors.ts'
import { readQuery } from '../request/query.ts'
import type { RouteContext } from './gate.ts'
import { declare, type Operation } from './operation.ts'

export interface PublicRouteDeps {
  readonly shield: (c: RouteContext) => Failing | undefined
  readonly respond: (failure: Failure) => Response | Promise<Response>
}

/** Some clients send their key wherever they ask, so it is let through. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version, OXP-API-Key',
}
const PREFLIGHT = { ...ANY_ORIGIN, 'access-control-max-age': '86400' }

type Handle<Q> = (c: Context, query: Q) => Response | Failing | Promise<Response | Failing>

/** For pages of any site, without a credential. Answers are public unless they say themselves who may keep them. */
export function createPublicFace({ shield, respond: respondAll }: PublicRouteDeps) {
  const face = new Hono()

  function at<Q>(path: string, operation: Operation<Q>, handle: Handle<Q>, respond = respondAll): void {
    const route = async (c: Context): Promise<Response> => {
      const query = shield(c) ?? readQuery(operation.query, c.req.raw.url)
      const result = query.ok ? await handle(c, query.value) : query
      const response = result instanceof Response ? result : await respond(result.failure)
      const { headers } = response
      if (!response.ok) headers.set('cache-control', 'no-store')
      else if (!headers.has('cache-control')) headers.set('cache-control', 'public, max-age=300')
      for (const [name, value] of Object.entries(ANY_ORIGIN)) headers.set(name, value)
      return response
    }
    face.get(path, declare(operation, route))
    face.options(path, () => preflight(PREFLIGHT))
  }

  return { face, at }
}
