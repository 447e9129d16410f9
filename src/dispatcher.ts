/*
 * Dispatches the requests of one isolate. In this order: `normalize-request.ts` checks the address; pages of origins in
 * ALLOW_ORIGINS get CORS headers; then one Hono app routes by path:
 *
 * - OXP's routes exist from the start;
 * - another dialect's routes are added when the first request for one of its paths loads them;
 * - every other path leads to `app.ts`, which is loaded on its first request.
 *
 * On self-hosted deployments, an error is sent only after the request's body has been read: closing a socket with unread
 * bytes resets it, and the client may lose the response (RFC 9112, section 9.6). Up to 64 MiB are read, for up to 10 s, but
 * nothing for 429 or `Expect`. Cloudflare's edge reads the body itself. A response to a wrong address has the format of the
 * dialect whose path it is, and is `no-store`.
 */
import { type Context, type ExecutionContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { type CallRoutes, composeCallRoutes, type LazyRoutes } from './compose/call-routes.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { loadOnce } from './compose/load-once.ts'
import { printLogEntry } from './compose/platform.ts'
import type { Failure } from './core/failure/failure.ts'
import type { DueTask } from './core/task/task.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, addCorsHeaders, preflight } from './http/response/cors.ts'
import { createErrorHandler } from './http/response/error-handler.ts'
import { drainBody } from './http/request/body.ts'
import { createRequestNormalizer } from './http/route/normalize-request.ts'
import type { Build } from './node/build.ts'

/** Paths that pages of ALLOW_ORIGINS may request: MCP and its authorization. */
const CROSS_ORIGIN = /^\/(?:mcp$|mcp\/t\/|connect\/|\.well-known\/)/

/** More bytes than any route accepts, and the time that a client has to send them. */
const DRAIN_BOUNDS = { bytes: 64 * 1024 * 1024, ms: 10_000 }

/**
 * Creates the dispatcher. A new isolate's first call waits only for the code that it needs. No path of `callRoutes` may have a
 * parameter next to a literal, as in `/docs/:guide` and `/docs/reference`: Hono would use its slower trie for every path.
 */
export function createDispatcher(env: Env, config: Config, build: Build) {
  const deployment = composeDeployment(env, config, build)
  const { oxp, lazyRoutes } = composeCallRoutes(deployment)
  const normalizeRequest = createRequestNormalizer(config)
  const { allowOrigins } = config

  const loadApp = loadOnce(async () => {
    const { createApp } = await import('./app.ts')
    return createApp(env, deployment, { oxp, lazyRoutes })
  })

  const loadedRoutes = new Map<LazyRoutes, CallRoutes>()
  let router = createRouter()

  /** Routes to the loaded dialects. Created again when a dialect is loaded, so that each call passes through Hono once. */
  function createRouter(): Hono {
    const app = new Hono()
    app.route('/', oxp.routes)
    for (const lazy of lazyRoutes) {
      const loadedRoute = loadedRoutes.get(lazy)
      if (loadedRoute) app.route('/', loadedRoute.routes)
      else for (const path of lazy.paths) app.all(path, (c) => loadAndDispatch(lazy, c))
    }
    app.notFound(async (c) => (await loadApp()).fetch(c.req.raw, env, c.executionCtx))
    app.onError((error, c) =>
      createErrorHandler((failure) => respondInDialect(c.req.path, failure), newId, printLogEntry)(error, c),
    )
    return app
  }

  async function loadAndDispatch(lazy: LazyRoutes, c: Context): Promise<Response> {
    loadedRoutes.set(lazy, await lazy.load())
    router = createRouter()
    return router.fetch(c.req.raw, env, c.executionCtx)
  }

  async function respondInDialect(path: string, failure: Failure): Promise<Response> {
    const dialect = lazyRoutes.find(({ paths }) => paths.some((pattern) => matchesPath(path, pattern)))
    const { respond } = dialect ? await dialect.load() : oxp
    return respond(failure)
  }

  async function rejectAddress(request: Request, failure: Failure): Promise<Response> {
    const response = await respondInDialect(getPath(request), failure)
    response.headers.set('cache-control', 'no-store')
    return respondAfterBody(request, response)
  }

  async function respondAfterBody(request: Request, response: Response): Promise<Response> {
    const isRead = request.body === null || request.bodyUsed
    const isSentNow = !config.isSelfHosted || isRead || response.status === 429 || request.headers.has('expect')
    if (!isSentNow) await drainBody(request, DRAIN_BOUNDS)
    return response
  }

  return {
    /** Returns which of its routers Hono uses. */
    routerName: () => router.router.name,
    runEventSources: async () => (await import('./compose/event-sources.ts')).runEventSources(deployment),
    runSchedule: async () => (await import('./compose/schedule.ts')).runSchedule(deployment),
    runTask: async (task: DueTask) => (await import('./compose/tasks.ts')).runTask(task, deployment),
    loadEventDelivery: loadOnce(async () => (await import('./compose/events.ts')).composeEventDelivery(deployment)),
    async fetch(received: Request, _: Env, context: ExecutionContext): Promise<Response> {
      const request = normalizeRequest(received)
      if (!(request instanceof Request)) return rejectAddress(received, request.failure)
      const isShared = allowOrigins.size > 0 && CROSS_ORIGIN.test(getPath(request))
      const corsHeaders = isShared ? crossOriginHeaders(request, allowOrigins) : undefined
      if (corsHeaders && request.method === 'OPTIONS') return preflight(corsHeaders)
      const response = await router.fetch(request, env, context)
      if (corsHeaders) addCorsHeaders(response, corsHeaders)
      return response.ok ? response : respondAfterBody(request, response)
    },
  }
}

/** `pattern` is a path, or ends in `/*`. */
function matchesPath(path: string, pattern: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
