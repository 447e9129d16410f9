import { type ExecutionContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { callFaces, type LazyFace } from './compose/call-faces.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { log } from './compose/platform.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, letRead, preflight } from './http/answer/cors.ts'
import { unexpected } from './http/answer/unexpected.ts'
import { createEntrance } from './http/route/entrance.ts'
import { type CallHandler, callHandlerOf } from './http/route/operation.ts'
import type { Build } from './node/build.ts'

/** Open to pages of the origins that the deployment names: MCP, and the way to a token for it. */
const CROSS_ORIGIN = /^\/(?:mcp$|connect\/|\.well-known\/)/

interface Front extends Pick<Hono, 'router'> {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response>
}

/**
 * Composes one isolate's Switchboard. Where tools are called and listed it answers by a dialect's own routes; all other code
 * is loaded with the first request for it, so that a new isolate's first call does not wait for that.
 */
export function createFront(env: Env, config: Config, build: Build): Front {
  const deployment = composeDeployment(env, config, build)
  const faces = callFaces(deployment)
  const enter = createEntrance(config)
  const { allowOrigins } = config
  const onError = unexpected(deployment.routes.forAnybody.respond, newId, log)
  const loaded = new Map<LazyFace, Hono>()
  const calls = new Map<string, CallHandler>()
  let app: Hono | undefined

  function frontOf(face: Hono): Hono {
    for (const { method, path, handler } of face.routes) {
      const call = method === 'POST' ? callHandlerOf(handler) : undefined
      if (call) calls.set(path, call)
    }
    const front = new Hono()
    front.route('/', face)
    front.notFound(async (c) => {
      if (app === undefined) {
        const { createApp } = await import('./app.ts')
        const made = await createApp(env, deployment, faces)
        app ??= made
      }
      return app.fetch(c.req.raw, env, c.executionCtx)
    })
    front.onError(onError)
    return front
  }

  const oxp = frontOf(faces.oxp)

  function answer(path: string, request: Request, context: ExecutionContext): Response | Promise<Response> {
    // Hono makes an object of twenty closures for each request, of which calls need none
    const call = request.method === 'POST' ? calls.get(path) : undefined
    if (call) {
      const answering = call({ req: { raw: request }, executionCtx: context })
      return answering.catch((error: Error) => onError(error, { req: { method: 'POST', path } }))
    }
    const face = faces.others.find(({ paths }) => paths.test(path))
    const front = face ? loaded.get(face) : oxp
    if (front || !face) return (front ?? oxp).fetch(request, env, context)
    return face.load().then((made) => {
      const first = frontOf(made)
      loaded.set(face, first)
      return first.fetch(request, env, context)
    })
  }

  return {
    router: oxp.router,
    fetch(received, _, context) {
      const request = enter(received)
      if (request instanceof Response) return request
      const path = getPath(request)
      const isShared = allowOrigins.size > 0 && CROSS_ORIGIN.test(path)
      const headers = isShared ? crossOriginHeaders(request, allowOrigins) : undefined
      if (!headers) return answer(path, request, context)
      if (request.method === 'OPTIONS') return preflight(headers)
      return Promise.resolve(answer(path, request, context)).then((response) => letRead(response, headers))
    },
  }
}
