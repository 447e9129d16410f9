import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { callFaces, type LazyFace } from './compose/call-faces.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { log } from './compose/platform.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, letRead, preflight } from './http/answer/cors.ts'
import { unexpected } from './http/answer/unexpected.ts'
import { createEntrance } from './http/route/entrance.ts'
import type { Build } from './node/build.ts'

/** Open to pages of the origins that the deployment names: MCP, and the way to a token for it. */
const CROSS_ORIGIN = ['/mcp', '/connect/*', '/.well-known/*']

/**
 * Composes one isolate's Switchboard. Where tools are called and listed it answers by a dialect's own routes; all other code
 * is loaded with the first request for it, so that a new isolate's first call does not wait for that.
 */
export function createFront(env: Env, config: Config, build: Build): Pick<Hono, 'fetch' | 'router'> {
  const deployment = composeDeployment(env, config, build)
  const faces = callFaces(deployment)
  const enter = createEntrance(config)
  const loaded = new Map<LazyFace, Hono>()
  let app: Hono | undefined

  function frontOf(face: Hono): Hono {
    const front = new Hono()
    // Where no origin is named, no request waits for this
    for (const path of config.allowOrigins.size === 0 ? [] : CROSS_ORIGIN) {
      front.use(path, async (c, next) => {
        const headers = crossOriginHeaders(c.req.raw, config.allowOrigins)
        if (headers && c.req.method === 'OPTIONS') return preflight(headers)
        await next()
        if (headers) letRead(c.res, headers)
        return undefined
      })
    }
    front.route('/', face)
    front.notFound(async (c) => {
      if (app === undefined) {
        const { createApp } = await import('./app.ts')
        const made = await createApp(env, deployment, faces)
        app ??= made
      }
      return app.fetch(c.req.raw, env, c.executionCtx)
    })
    front.onError(unexpected(deployment.routes.forAnybody.respond, newId, log))
    return front
  }

  const oxp = frontOf(faces.oxp)
  return {
    router: oxp.router,
    fetch(received, _, context) {
      const request = enter(received)
      if (request instanceof Response) return request
      const path = getPath(request)
      const face = faces.others.find(({ paths }) => paths.test(path))
      if (!face) return oxp.fetch(request, env, context)
      const front = loaded.get(face)
      if (front) return front.fetch(request, env, context)
      return face.load().then((made) => {
        const first = frontOf(made)
        loaded.set(face, first)
        return first.fetch(request, env, context)
      })
    },
  }
}
