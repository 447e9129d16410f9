import { Hono } from 'hono'
import { documenting, openApiFace, referenceSections } from './api/openapi/routes.ts'
import { serversFace } from './api/servers/routes.ts'
import { accessFaces, onPageError } from './compose/access-faces.ts'
import { callFaces } from './compose/call-faces.ts'
import { type Deployment, newId } from './compose/deployment.ts'
import { log } from './compose/platform.ts'
import { composePublishing } from './compose/publishing.ts'
import { toolFaces } from './compose/tool-faces.ts'
import { createConsole } from './console/routes.ts'
import { choicesOf } from './core/catalogue/choices.ts'
import { VERSIONS_UNTIL_2025 } from './dialects/mcp/revisions/until-2025-11-25.ts'
import type { Docs } from './docs/docs.ts'
import { docsFace } from './docs/routes.ts'
import type { Env } from './env.ts'
import { unexpected } from './http/answer/unexpected.ts'
import { hasCredential } from './http/caller/authenticate.ts'
import { isLocalRequest } from './http/caller/loopback.ts'
import { unknownRoute } from './http/route/unknown-route.ts'
import { VERSIONS_FROM_2026 } from './dialects/mcp/revisions/2026-07-28.ts'

const DOCS = 'https://assets.invalid/docs.json'
const NO_DOCS: Docs = { guides: [], files: {}, style: '', reference: { fields: {}, examples: {} } }

/** One isolate's Switchboard as a whole: every face of a deployment. */
export async function createApp(env: Env, deployment: Deployment, calls = callFaces(deployment)): Promise<Hono> {
  const dialects = await Promise.all([calls.oxp, ...calls.others.map((face) => face.load())])
  const publishing = await composePublishing(deployment)
  const { config, doors, version, deployedAt } = deployment
  const { gate, gateBesideTools } = doors
  const { forAnybody } = deployment.routes
  const { catalogue } = deployment.stores.registry

  let docs: Docs | undefined
  // Beside the bundle, of which they were a tenth
  const loadDocs = async () => (docs ??= (await (await env.ASSETS?.fetch(DOCS))?.json<Docs>()) ?? NO_DOCS)

  const loadApi = documenting(() => app.routes, loadDocs)

  const pages = createConsole({
    gate: doors.gateForVisitors,
    async send(c, principal, request) {
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      const context = { waitUntil, passThroughOnException() {}, props: {} }
      return app.fetch(doors.ownRequest(principal, request), env, context)
    },
    onPageError,
  })
  const faces = [
    pages.face,
    ...dialects.map(({ routes }) => routes),
    ...toolFaces(deployment, publishing),
    ...accessFaces(deployment, publishing),
    openApiFace({ ...forAnybody, loadApi, loadDocs, version }),
    docsFace({ ...forAnybody, loadDocs, loadReference: () => referenceSections(loadApi) }),
    serversFace({
      ...forAnybody,
      deployment: {
        title: 'Switchboard',
        version,
        protocolVersions: [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025],
        deployedAt,
      },
      needsKey: (request) =>
        config.access === 'keys' || (config.access === 'open' && !isLocalRequest(request, config.allowOrigins)),
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

  const app = new Hono()
  for (const face of faces) app.route('/', face)
  app.notFound(pages.notFound(unknownRoute(app, gateBesideTools, forAnybody.respond)))
  app.onError(unexpected(forAnybody.respond, newId, log))
  return app
}
