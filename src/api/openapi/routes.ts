import type { Hono } from 'hono'
import type { Docs } from '../../docs/docs.ts'
import { getOrigin } from '../../docs/routes.ts'
import type { DocsSection } from '../../docs/search.ts'
import { jsonTextResponse } from '../../http/response/json-response.ts'
import { failurePage, page, plainPage } from '../../http/page/page.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import { json, OBJECT, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import { createPublicRouter, type PublicRouteDeps } from '../../http/route/public-router.ts'
import type { AppRoute, DocumentedApi } from './operations.ts'

interface OpenApiRoutesDeps extends PublicRouteDeps {
  readonly loadApi: () => Promise<DocumentedApi>
  readonly loadDocs: () => Promise<Docs>
  readonly version: string
}

const READ = { query: ANY_QUERY }
const DOCUMENT = { 200: json('OpenAPI 3.1', objectSchema({ openapi: TEXT, info: OBJECT, paths: OBJECT })) }
const NO_GROUP = plainPage(404, 'Nothing here', 'The reference has no such page')

export function createOpenApiRoutes({ loadApi, loadDocs, version, ...deps }: OpenApiRoutesDeps): Hono {
  const { router, at } = createPublicRouter(deps)
  const load = () => Promise.all([import('./reference.tsx'), loadDocs(), loadApi()])
  at('/openapi.json', { ...READ, summary: 'Get this API as an OpenAPI document', responses: DOCUMENT }, async (c) => {
    const [{ openApiDocument }, api] = await Promise.all([import('./document.ts'), loadApi()])
    return jsonTextResponse(JSON.stringify(openApiDocument(api, { origin: getOrigin(c), version })))
  })
  at('/docs/reference', READ, async () => {
    const [{ referencePage }, docs, api] = await load()
    return referencePage(docs, api)
  })
  at(
    '/docs/reference/:group',
    READ,
    async (c) => {
      const [{ groupPage }, docs, api] = await load()
      return groupPage(docs, api, c.req.param('group') ?? '', getOrigin(c)) ?? page(NO_GROUP)
    },
    (failure) => page(failurePage(failure)),
  )

  return router
}

/** Documents the routes of an app after all of them have been added. */
export function documenting(
  routes: () => readonly AppRoute[],
  loadDocs: OpenApiRoutesDeps['loadDocs'],
): OpenApiRoutesDeps['loadApi'] {
  let api: Promise<DocumentedApi> | undefined
  return async () => {
    const [{ documentedApi }, { reference }] = await Promise.all([import('./operations.ts'), loadDocs()])
    return (api ??= documentedApi(routes(), reference))
  }
}

/** Loads the sections for the docs search. */
export async function loadReferenceSections(loadApi: OpenApiRoutesDeps['loadApi']): Promise<readonly DocsSection[]> {
  const [reference, api] = await Promise.all([import('./reference.tsx'), loadApi()])
  return reference.buildReferenceSections(api)
}
