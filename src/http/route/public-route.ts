import type { Failing, Failure } from '../../core/failure/failure.ts'
import type { RouteContext } from './gate.ts'
import { declare, type Operation } from './operation.ts'
import { readQuery } from '../request/query.ts'

export interface PublicRouteDeps {
  /** Holds strangers to a rate: why a request is refused now, or undefined. */
  readonly shield: (c: RouteContext) => Failing | undefined
  /** Words a failure. */
  readonly respond: (failure: Failure) => Response | Promise<Response>
}

/** Pages of any site may ask. Some clients send their key wherever they ask, so it is let through. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version, OXP-API-Key',
}

/**
 * Makes the route of something that anybody may read, without a credential: what it says depends on nothing but the address
 * that was asked for, unless it says itself who may keep it. Strangers are held to the rate.
 */
export function createPublicRoute({ shield, respond }: PublicRouteDeps) {
  return <C extends RouteContext, Q>(
    operation: Operation<Q>,
    handle: (c: C, query: Q) => Response | Promise<Response>,
  ) =>
    declare(operation, async (c: C): Promise<Response> => {
      const limited = shield(c)
      const query = limited ?? readQuery(operation.query, c.req.raw.url)
      const response = query.ok ? await handle(c, query.value) : await respond(query.failure)
      if (!response.ok) response.headers.set('cache-control', 'no-store')
      else if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'public, max-age=300')
      return fromAnyOrigin(response)
    })
}

/** The answer to a browser that asks whether a page may read it (Fetch, "CORS-preflight request"). */
export function preflight(): Response {
  return fromAnyOrigin(new Response(null, { status: 204, headers: { 'access-control-max-age': '86400' } }))
}

function fromAnyOrigin(response: Response): Response {
  for (const [name, value] of Object.entries(ANY_ORIGIN)) response.headers.set(name, value)
  return response
}
