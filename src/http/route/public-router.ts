import { type Context, Hono } from 'hono'
import type { FailureResult, Failure } from '../../core/failure/failure.ts'
import { preflight } from '../response/cors.ts'
import { readQuery } from '../request/query.ts'
import type { RouteContext } from './authorizer.ts'
import { declareOperation, type Operation } from './operation.ts'

export interface PublicRouteDeps {
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly respond: (failure: Failure) => Response | Promise<Response>
  readonly caching: PublicCaching
}

/** Responses contain the request's host. Without PUBLIC_URL, clients choose it, so shared caches must not store them. */
export type PublicCaching = 'public, max-age=300' | 'private, max-age=300'

/** Some clients send their key with every request, so preflights allow it. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version, OXP-API-Key',
}
const PREFLIGHT = { ...ANY_ORIGIN, 'access-control-max-age': '86400' }

const CREDENTIALS = ['Authorization', 'OXP-API-Key']

/** Keeps caches from mixing up responses that depend on the credential. */
export function varyByCredential({ req }: Context, response: Response): Response {
  response.headers.set('vary', CREDENTIALS.join(', '))
  if (CREDENTIALS.some((name) => req.header(name) !== undefined)) response.headers.set('cache-control', 'no-store')
  return response
}

type PublicHandler<Q> = (c: Context, query: Q) => Response | FailureResult | Promise<Response | FailureResult>

/** Routes for pages of any site, without a credential. Responses are cached by `caching` unless they set `Cache-Control`. */
export function createPublicRouter({ limitAnonymous, respond: respondByDefault, caching }: PublicRouteDeps) {
  const router = new Hono()

  function get<Q>(path: string, operation: Operation<Q>, handle: PublicHandler<Q>, respond = respondByDefault): void {
    const handleRequest = async (c: Context): Promise<Response> => {
      const query = limitAnonymous(c) ?? readQuery(operation.query, c.req.raw.url)
      const result = query.ok ? await handle(c, query.value) : query
      const response = result instanceof Response ? result : await respond(result.failure)
      const { headers } = response
      if (!response.ok) headers.set('cache-control', 'no-store')
      else if (!headers.has('cache-control')) headers.set('cache-control', caching)
      for (const [name, value] of Object.entries(ANY_ORIGIN)) headers.set(name, value)
      return response
    }
    router.get(path, declareOperation(operation, handleRequest))
    router.options(path, () => preflight(PREFLIGHT))
  }

  return { router, at: get }
}
