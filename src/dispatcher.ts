import { type ExecutionContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { type CallRoutes, composeCallRoutes, type LazyRoutes } from './compose/call-routes.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { log } from './compose/platform.ts'
import type { Failure } from './core/failure/failure.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, addCorsHeaders, preflight } from './http/response/cors.ts'
import { createErrorHandler } from './http/response/error-handler.ts'
import { drainBody } from './http/request/body.ts'
import { createRequestNormalizer } from './http/route/normalize-request.ts'
import { type CallHandler, findCallHandler } from './http/route/operation.ts'
import type { Build } from './node/build.ts'

/** Open to pages of the origins that the deployment names: MCP, and the way to a token for it. */
const CROSS_ORIGIN = /^\/(?:mcp$|connect\/|\.well-known\/)/

/** Read of a body that was refused: more than any route takes, and no longer than for a client that is sending. */
const REST = { bytes: 64 * 1024 * 1024, ms: 10_000 }

interface Front extends Pick<Hono, 'router'> {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response>
}

/**
 * Composes one isolate's Switchboard. Where tools are called and listed it answers by a dialect's own routes; all other code
 * is loaded with the first request for it, so that a new isolate's first call does not wait for that. No path here may have a
 * parameter beside a literal, such as `/docs/:guide` beside `/docs/reference`: Hono would match every path by its slower trie.
 */
export function createDispatcher(env: Env, config: Config, build: Build): Front {
  const deployment = composeDeployment(env, config, build)
  const faces = composeCallRoutes(deployment)
  const enter = createRequestNormalizer(config)
  const { allowOrigins } = config
  const loaded = new Map<LazyRoutes, CallRoutes>()
  const calls = new Map<
    string,
    { readonly call: CallHandler; readonly onError: ReturnType<typeof createErrorHandler> }
  >()
  let app: Hono | undefined

  function mount({ routes, respond }: CallRoutes): CallRoutes {
    const onError = createErrorHandler(respond, newId, log)
    for (const { method, path, handler } of routes.routes) {
      const call = method === 'POST' ? findCallHandler(handler) : undefined
      if (call) calls.set(path, { call, onError })
    }
    const front = new Hono()
    front.route('/', routes)
    front.notFound(async (c) => {
      if (app === undefined) {
        const { createApp } = await import('./app.ts')
        const made = await createApp(env, deployment, faces)
        app ??= made
      }
      return app.fetch(c.req.raw, env, c.executionCtx)
    })
    front.onError(onError)
    return { routes: front, respond }
  }

  const oxp = mount(faces.oxp)

  async function load(router: LazyRoutes): Promise<CallRoutes> {
    const front = mount(await router.load())
    loaded.set(router, front)
    return front
  }

  function answer(path: string, request: Request, context: ExecutionContext): Response | Promise<Response> {
    // Hono makes an object of twenty closures for each request, of which calls need none
    const known = request.method === 'POST' ? calls.get(path) : undefined
    if (known) {
      const answering = known.call({ req: { raw: request }, executionCtx: context })
      return answering.then(
        (response) => (response.ok ? response : respondAfterBody(request, response)),
        (error: Error) => known.onError(error, { req: { method: 'POST', path } }),
      )
    }
    const router = faces.others.find(({ paths }) => paths.test(path))
    const front = router ? loaded.get(router) : oxp
    const answering =
      front || !router
        ? (front ?? oxp).routes.fetch(request, env, context)
        : load(router).then(({ routes }) => routes.fetch(request, env, context))
    if (request.body === null) return answering
    return Promise.resolve(answering).then((response) => (response.ok ? response : respondAfterBody(request, response)))
  }

  /** Gives a refusal when its request has been read, which Cloudflare's edge sees to there. Flooders are not read. */
  function respondAfterBody(request: Request, refused: Response): Response | Promise<Response> {
    if (!config.isSelfHosted || request.bodyUsed || refused.status === 429 || request.headers.has('expect'))
      return refused
    return drainBody(request, REST).then(() => refused)
  }

  async function refuse(request: Request, path: string, failure: Failure): Promise<Response> {
    const router = faces.others.find(({ paths }) => paths.test(path))
    const { respond } = router ? (loaded.get(router) ?? (await load(router))) : oxp
    const refused = respond(failure)
    refused.headers.set('cache-control', 'no-store')
    return respondAfterBody(request, refused)
  }

  return {
    router: oxp.routes.router,
    fetch(received, _, context) {
      const request = enter(received)
      const path = getPath(received)
      if (!(request instanceof Request)) return refuse(received, path, request.failure)
      const isShared = allowOrigins.size > 0 && CROSS_ORIGIN.test(path)
      const headers = isShared ? crossOriginHeaders(request, allowOrigins) : undefined
      if (!headers) return answer(path, request, context)
      if (request.method === 'OPTIONS') return preflight(headers)
      return Promise.resolve(answer(path, request, context)).then((response) => addCorsHeaders(response, headers))
    },
  }
}
