import type { Context, Hono } from 'hono'
import type { Failure } from '../../core/failure/failure.ts'
import { trimEnd } from '../../core/tool/trim.ts'
import type { Authorize } from './authorizer.ts'

/** MCP 2025-11-25, "Authorization Server Discovery". Must be 404: on 401, clients stop sending their key. */
const DISCOVERY = /^(?:\/mcp)?\/(?:\.well-known\/.+|register|authorize|token)$/

/** Authorizes the caller, so that guesses at credentials are limited here too. Paths of DISCOVERY are public. */
export function createNotFoundHandler(app: Hono, authorize: Authorize, respond: (failure: Failure) => Response) {
  const routesAt = (path: string) => {
    const steps = path.split('/')
    return app.routes.filter((route) => matches(route.path, steps))
  }
  const methodsAt = (path: string) =>
    new Set(
      routesAt(path)
        .filter(({ method }) => method !== 'ALL')
        .flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])),
    )
  const refusesAt = (path: string) => routesAt(path).some(({ method }) => method === 'ALL')
  return async (c: Context): Promise<Response> => {
    const { method, path } = c.req
    const trimmedPath = withoutStraySlashes(path)
    if (
      trimmedPath !== path &&
      isSafeToSendOn(method) &&
      (methodsAt(trimmedPath).has(method) || refusesAt(trimmedPath))
    ) {
      // `path` is decoded, and may contain characters that headers cannot
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(`${withoutStraySlashes(pathname)}${search}`, 308)
    }
    const principal = DISCOVERY.test(path) ? undefined : await authorize(c, undefined)
    if (principal?.ok === false) return respond(principal.failure)
    const methods = methodsAt(path)
    if (methods.size === 0) return respond({ type: 'route-unknown', method, path: path.slice(0, 200) })
    return respond({ type: 'method-not-allowed', method, allowed: [...methods].sort() })
  }
}

/** Two leading slashes would redirect to another host. */
function withoutStraySlashes(path: string): string {
  return trimEnd(path.replace(/^\/+/, '/'), '/')
}

/** Excludes changes: `/users/ann/grants/` may be one grant with its name missing, and must not mean all of them. */
function isSafeToSendOn(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'POST'
}

function matches(route: string, steps: readonly string[]): boolean {
  const pattern = route.split('/')
  const matchesStep = (step: string, index: number) =>
    step.startsWith(':') ? steps[index] !== '' : step === steps[index]
  return pattern.length === steps.length && pattern.every(matchesStep)
}
