import { Hono } from 'hono'
import { openApiFace } from './api/openapi/routes.ts'
import { serversFace } from './api/servers/routes.ts'
import { accessFaces } from './compose/access-faces.ts'
import { composeDeployment, newId } from './compose/deployment.ts'
import { log } from './compose/platform.ts'
import { toolFaces } from './compose/tool-faces.ts'
import { createConsole } from './console/routes.ts'
import { choicesOf } from './core/catalogue/choices.ts'
import { VERSIONS_UNTIL_2025 } from './dialects/mcp/revisions/until-2025-11-25.ts'
import { docsFace } from './docs/routes.ts'
import type { Config, Env } from './env.ts'
import { crossOriginHeaders, letRead, preflight } from './http/answer/cors.ts'
import { unexpected } from './http/answer/unexpected.ts'
import { hasCredential } from './http/caller/authenticate.ts'
import { isLocalRequest } from './http/caller/loopback.ts'
import { LiteralRouter } from './http/route/literal-router.ts'
import { unknownRoute } from './http/route/unknown-route.ts'
import type { Build } from './node/build.ts'
import { VERSIONS_FROM_2026 } from './dialects/mcp/revisions/2026-07-28.ts'

/** Open to pages of the origins that the deployment names: MCP, and the way to a token for it. */
const CROSS_ORIGIN = ['/mcp', '/connect/*', '/.well-known/*']

/** Composes one isolate's Switchboard: the faces of a deployment, on what they stand on. */
export function createApp(env: Env, config: Config, build: Build): Hono {
  const deployment = composeDeployment(env, config, build)
  const { doors, onPageError, version, deployedAt } = deployment
  const { gate, gateBesideTools } = doors
  const { forAnybody } = deployment.routes
  const { catalogue } = deployment.stores.registry

  const pages = createConsole({
    gate: doors.gateForVisitors,
    async send(c, principal, request) {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      const context = { waitUntil, passThroughOnException() {}, props: {} }
      return app.fetch(doors.ownRequest(principal, request), env, context)
    },
    loadAssets: async () => (await import('./generated/console.ts')).assets,
    onPageError,
  })
  const faces = [
    pages.face,
    ...toolFaces(deployment),
    ...accessFaces(deployment),
    openApiFace({ ...forAnybody, routes: () => app.routes, version }),
    docsFace({ ...forAnybody, loadGuides: async () => (await import('./generated/guides.ts')).guides }),
    serversFace({
      ...forAnybody,
      deployment: {
        title: 'Switchboard',
        version,
        protocolVersions: [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025],
        deployedAt,
      },
      needsKey: (request) => config.access === 'keys' || (config.access === 'open' && !isLocalRequest(request)),
      async identify(c) {
        if (config.access === 'keys' && !hasCredential(c.req.raw)) return undefined
        const admitted = await gate(c, 'tools:read')
        return admitted.ok ? admitted.value : undefined
      },
      async toolsetsOf(principal) {
        const choices = await choicesOf(principal, catalogue)
        return choices.map(({ toolkit, tools }) => ({ toolkit, tools: tools.length }))
      },
    }),
  ]

  const app = new Hono({ router: new LiteralRouter() })
  // Where no origin is named, no request waits for this
  for (const path of config.allowOrigins.size === 0 ? [] : CROSS_ORIGIN) {
    app.use(path, async (c, next) => {
      const headers = crossOriginHeaders(c.req.raw, config.allowOrigins)
      if (headers && c.req.method === 'OPTIONS') return preflight(headers)
      await next()
      if (headers) letRead(c.res, headers)
      return undefined
    })
  }
  for (const face of faces) app.route('/', face)
  app.notFound(pages.notFound(unknownRoute(app, gateBesideTools, forAnybody.respond)))
  app.onError(unexpected(forAnybody.respond, newId, log))
  return app
}
