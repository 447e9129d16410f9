import { type Context, Hono } from 'hono'
import { documenting, createOpenApiRoutes, loadReferenceSections } from './api/openapi/routes.ts'
import { createServersRoutes } from './api/servers/routes.ts'
import { composeAccessRoutes, onPageError } from './compose/access-routes.ts'
import { composeCallRoutes } from './compose/call-routes.ts'
import { type Deployment, newId } from './compose/deployment.ts'
import { printLogEntry } from './compose/platform.ts'
import { composePublishing } from './compose/publishing.ts'
import { composeToolRoutes } from './compose/tool-routes.ts'
import { createConsole } from './console/routes.ts'
import { encodeSkill } from './core/skill/skill.ts'
import { hasScope } from './core/access/principal.ts'
import { listToolkitChoices } from './core/catalog/choices.ts'
import { VERSIONS_UNTIL_2025 } from './dialects/mcp/revisions/until-2025-11-25.ts'
import type { Docs } from './docs/docs.ts'
import { createDocsRoutes } from './docs/routes.ts'
import type { Env } from './env.ts'
import { createErrorHandler } from './http/response/error-handler.ts'
import { hasCredential } from './http/caller/authenticate.ts'
import { isLocalRequest } from './http/caller/loopback.ts'
import { createNotFoundHandler } from './http/route/not-found.ts'
import { VERSIONS_FROM_2026 } from './dialects/mcp/revisions/2026-07-28.ts'
import { withFallback } from './storage/reachable-stub.ts'

const DOCS_URL = 'https://assets.invalid/docs.json'
const NO_DOCS: Docs = { guides: [], files: {}, style: '', reference: { fields: {}, examples: {} } }

/** Creates the app of one isolate, with every route of a deployment. */
export async function createApp(
  env: Env,
  deployment: Deployment,
  callRoutes = composeCallRoutes(deployment),
): Promise<Hono> {
  const dialects = await Promise.all([callRoutes.oxp, ...callRoutes.lazyRoutes.map((router) => router.load())])
  const publishing = await composePublishing(deployment)
  const { config, authentication, version, deployedAt } = deployment
  const { authorize, authorizeWithoutTools } = authentication
  const { publicRoutes } = deployment.routes
  const { catalog, stub } = deployment.stores.registry

  let docs: Docs | undefined
  // An asset, because the docs would be a tenth of the bundle
  const loadDocs = async () => (docs ??= (await (await env.ASSETS?.fetch(DOCS_URL))?.json<Docs>()) ?? NO_DOCS)

  async function identify(c: Context) {
    if (config.access === 'keys' && !hasCredential(c.req.raw)) return undefined
    const principal = await authorize(c, undefined)
    return principal.ok && hasScope(principal.value, 'tools:read') ? principal.value : undefined
  }

  const loadApi = documenting(() => app.routes, loadDocs)

  const consolePages = createConsole({
    authorize: authentication.authorizeVisitor,
    async send(c, principal, request) {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      const context = { waitUntil, passThroughOnException() {}, props: {} }
      return app.fetch(authentication.toInternalRequest(principal, request, c.req.raw), env, context)
    },
    onPageError,
  })
  const routers = [
    consolePages.router,
    ...dialects.map(({ routes }) => routes),
    ...composeToolRoutes(deployment, publishing, env),
    ...composeAccessRoutes(deployment, publishing),
    createOpenApiRoutes({ ...publicRoutes, loadApi, loadDocs, version }),
    createDocsRoutes({
      ...publicRoutes,
      loadDocs,
      loadReference: () => loadReferenceSections(loadApi),
      async listSkills(c) {
        const principal = await identify(c)
        if (!principal) return []
        const { items } = await withFallback(() => stub().listSkills({ state: 'active' }, principal), { items: [] })
        return items.map(encodeSkill)
      },
    }),
    createServersRoutes({
      ...publicRoutes,
      deployment: {
        title: 'Switchboard',
        version,
        protocolVersions: [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025],
        deployedAt,
      },
      needsKey: (request) =>
        config.access === 'keys' || (config.access === 'open' && !isLocalRequest(request, config.allowOrigins)),
      identify,
      async listToolsets(principal) {
        const choices = await listToolkitChoices(principal, catalog)
        return choices.map(({ toolkit, tools }) => ({ toolkit, tools: tools.length }))
      },
    }),
  ]

  const app = new Hono()
  for (const router of routers) app.route('/', router)
  app.notFound(consolePages.notFound(createNotFoundHandler(app, authorizeWithoutTools, publicRoutes.respond)))
  app.onError(createErrorHandler(publicRoutes.respond, newId, printLogEntry))
  return app
}
