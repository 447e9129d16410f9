import type { Context, Hono } from 'hono'
import { jsonText } from '../../http/answer/json-response.ts'
import type { Docs } from '../../docs/docs.ts'
import { json, OBJECT, objectOf, TEXT } from '../../http/route/answers.ts'
import { createPublicFace, type PublicRouteDeps } from '../../http/route/public-route.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import type { AppRoute } from './document.ts'

export interface OpenApiFaceDeps extends PublicRouteDeps {
  readonly routes: () => readonly AppRoute[]
  readonly version: string
  readonly loadDocs: () => Promise<Docs>
}

const READ = { query: ANY_QUERY }
const DOCUMENT = { 200: json('OpenAPI 3.1', objectOf({ openapi: TEXT, info: OBJECT, paths: OBJECT })) }

export function openApiFace({ routes, version, loadDocs, ...deps }: OpenApiFaceDeps): Hono {
  const { face, at } = createPublicFace(deps)
  at('/openapi.json', { ...READ, summary: 'This document', answers: DOCUMENT }, async (c) =>
    jsonText(JSON.stringify(await documentAt(c))),
  )
  at('/docs/reference', READ, async (c) => {
    const [{ referencePage }, docs, document] = await Promise.all([
      import('./reference.tsx'),
      loadDocs(),
      documentAt(c),
    ])
    return referencePage(docs, document)
  })

  async function documentAt({ req }: Context) {
    const { openApiDocument } = await import('./document.ts')
    return openApiDocument(routes(), { origin: new URL(req.url).origin, version })
  }

  return face
}
