/*
 * Dispatches the requests of one isolate. In this order: `normalize-request.ts` checks the address; pages of origins in
 * ALLOW_ORIGINS get CORS headers; then
 *
 * - a POST to a path where tools are called goes to its handler, without Hono;
 * - a path of another dialect than OXP goes to its router, which is loaded with the first request for it;
 * - all else goes to OXP's router, and where that has no such route to `app.ts`, which is loaded then.
 *
 * Self-hosted, a response that is no success waits until the request's body was read: up to 64 MiB or 10 s, but not for
 * 429 or `Expect` (RFC 9112, section 9.6). Cloudflare's edge reads the body itself. Responses to a wrong address are
 * `no-store`.
 */
import { type ExecutionContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { type CallRoutes, composeCallRoutes, type LazyRoutes } from './compose/call-routes.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { printLogEntry } from './compose/platform.ts'
import type { Failure } from './core/failure/failure.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, addCorsHeaders, preflight } from './http/response/cors.ts'
import { createErrorHandler } from './http/response/error-handler.ts'
import { drainBody } from './http/request/body.ts'
import { createRequestNormalizer } from './http/route/normalize-request.ts'
import { type CallHandler, isCallHandler } from './http/route/operation.ts'
import type { Build } from './node/build.ts'

/** Open to pages of ALLOW_ORIGINS: MCP, and the authorization for it. */
const CROSS_ORIGIN = /^\/(?:mcp$|connect\/|\.well-known\/)/

/** More bytes than any route takes, for as long as a client that sends may take. */
const DRAIN_BOUNDS = { bytes: 64 * 1024 * 1024, ms: 10_000 }

interface Dispatcher extends Pick<Hono, 'router'> {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response>
}

/**
 * A new isolate's first call waits only for the code that it needs. No path of `callRoutes` may have a parameter beside a
 * literal, such as `/docs/:guide` beside `/docs/reference`: Hono would match every path by its slower trie.
 */
export function createDispatcher(env: Env, config: Config, build: Build): Dispatcher {
  const deployment = composeDeployment(env, config, build)
  const callRoutes = composeCallRoutes(deployment)
  const normalizeRequest = createRequestNormalizer(config)
  const { allowOrigins } = config
  const loadedRoutes = new Map<LazyRoutes, CallRoutes>()
  const callHandlers = new Map<
    string,
    { readonly handle: CallHandler; readonly onError: ReturnType<typeof createErrorHandler> }
  >()
  let app: Hono | undefined

  function mount({ routes, respond }: CallRoutes): CallRoutes {
    const onError = createErrorHandler(respond, newId, printLogEntry)
    for (const { method, path, handler } of routes.routes) {
      if (method === 'POST' && isCallHandler(handler)) callHandlers.set(path, { handle: handler, onError })
    }
    const outerRouter = new Hono()
    outerRouter.route('/', routes)
    outerRouter.notFound(async (c) => {
      if (app === undefined) {
        const { createApp } = await import('./app.ts')
        const loaded = await createApp(env, deployment, callRoutes)
        app ??= loaded
      }
      return app.fetch(c.req.raw, env, c.executionCtx)
    })
    outerRouter.onError(onError)
    return { routes: outerRouter, respond }
  }

  const oxp = mount(callRoutes.oxp)

  async function loadRoutes(lazyRoutes: LazyRoutes): Promise<CallRoutes> {
    const mounted = mount(await lazyRoutes.load())
    loadedRoutes.set(lazyRoutes, mounted)
    return mounted
  }

  function dispatch(path: string, request: Request, context: ExecutionContext): Response | Promise<Response> {
    // Hono creates an object of twenty closures for each request, of which calls need none
    const callHandler = request.method === 'POST' ? callHandlers.get(path) : undefined
    if (callHandler) {
      const responding = callHandler.handle({ req: { raw: request }, executionCtx: context })
      return responding.then(
        (response) => (response.ok ? response : respondAfterBody(request, response)),
        (error: Error) => callHandler.onError(error, { req: { method: 'POST', path } }),
      )
    }
    const lazyRoutes = callRoutes.lazyRoutes.find(({ paths }) => paths.test(path))
    const mounted = lazyRoutes ? loadedRoutes.get(lazyRoutes) : oxp
    const responding =
      mounted || !lazyRoutes
        ? (mounted ?? oxp).routes.fetch(request, env, context)
        : loadRoutes(lazyRoutes).then(({ routes }) => routes.fetch(request, env, context))
    if (request.body === null) return responding
    return Promise.resolve(responding).then((response) =>
      response.ok ? response : respondAfterBody(request, response),
    )
  }

  function respondAfterBody(request: Request, response: Response): Response | Promise<Response> {
    if (!config.isSelfHosted || request.bodyUsed || response.status === 429 || request.headers.has('expect'))
      return response
    return drainBody(request, DRAIN_BOUNDS).then(() => response)
  }

  async function respondWithFailure(request: Request, path: string, failure: Failure): Promise<Response> {
    const lazyRoutes = callRoutes.lazyRoutes.find(({ paths }) => paths.test(path))
    const { respond } = lazyRoutes ? (loadedRoutes.get(lazyRoutes) ?? (await loadRoutes(lazyRoutes))) : oxp
    const response = respond(failure)
    response.headers.set('cache-control', 'no-store')
    return respondAfterBody(request, response)
  }

  return {
    router: oxp.routes.router,
    fetch(received, _, context) {
      const request = normalizeRequest(received)
      const path = getPath(received)
      if (!(request instanceof Request)) return respondWithFailure(received, path, request.failure)
      const isShared = allowOrigins.size > 0 && CROSS_ORIGIN.test(path)
      const headers = isShared ? crossOriginHeaders(request, allowOrigins) : undefined
      if (!headers) return dispatch(path, request, context)
      if (request.method === 'OPTIONS') return preflight(headers)
      return Promise.resolve(dispatch(path, request, context)).then((response) => addCorsHeaders(response, headers))
    },
  }
}
