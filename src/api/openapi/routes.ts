import type { Context, Hono } from 'hono'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Docs } from '../../docs/docs.ts'
import type { DocsSection } from '../../docs/search.ts'
import { jsonText } from '../../http/answer/json-response.ts'
import { failurePage, page, plainPage } from '../../http/page/page.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import { json, OBJECT, objectOf, TEXT } from '../../http/route/answers.ts'
import { createPublicFace, type PublicRouteDeps } from '../../http/route/public-route.ts'
import type { AppRoute } from './document.ts'

export interface OpenApiFaceDeps extends PublicRouteDeps {
  readonly loadDocument: (origin: string) => Promise<JsonObject>
  readonly loadDocs: () => Promise<Docs>
}

const READ = { query: ANY_QUERY }
const DOCUMENT = { 200: json('OpenAPI 3.1', objectOf({ openapi: TEXT, info: OBJECT, paths: OBJECT })) }
const NO_GROUP = plainPage(404, 'Nothing here', 'The reference has no such page')

export function openApiFace({ loadDocument, loadDocs, ...deps }: OpenApiFaceDeps): Hono {
  const { face, at } = createPublicFace(deps)
  const load = (c: Context) => Promise.all([import('./reference.tsx'), loadDocs(), loadDocument(originOf(c))])
  at('/openapi.json', { ...READ, summary: 'Get this API as an OpenAPI document', answers: DOCUMENT }, async (c) =>
    jsonText(JSON.stringify(await loadDocument(originOf(c)))),
  )
  at('/docs/reference', READ, async (c) => {
    const [{ referencePage }, docs, document] = await load(c)
    return referencePage(docs, document)
  })
  at(
    '/docs/reference/:group',
    READ,
    async (c) => {
      const [{ groupPage }, docs, document] = await load(c)
      return groupPage(docs, document, c.req.param('group') ?? '', originOf(c)) ?? page(NO_GROUP)
    },
    (failure) => page(failurePage(failure)),
  )

  return face
}

/** Documents the routes of an app, once they are all there. */
export function documentOf(
  routes: () => readonly AppRoute[],
  { version, loadDocs }: { readonly version: string; readonly loadDocs: () => Promise<Docs> },
): OpenApiFaceDeps['loadDocument'] {
  return async (origin) => {
    const [{ openApiDocument }, { reference: words }] = await Promise.all([import('./document.ts'), loadDocs()])
    return openApiDocument(routes(), { origin, version, words })
  }
}

export function sectionsOf(loadDocument: OpenApiFaceDeps['loadDocument']) {
  return async (origin: string): Promise<readonly DocsSection[]> => {
    const [{ referenceSections }, document] = await Promise.all([import('./reference.tsx'), loadDocument(origin)])
    return referenceSections(document)
  }
}

function originOf({ req }: Context): string {
  return new URL(req.url).origin
}
