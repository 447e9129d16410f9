import type { Context, Hono } from 'hono'
import type { Failure } from '../core/failure/failure.ts'
import { jsonTextResponse } from '../http/response/json-response.ts'
import { failurePage, redirectResponse, page, plainPage } from '../http/page/page.ts'
import { optional, string } from '../core/tool/json-reader.ts'
import { ANY_QUERY, defineQuery } from '../http/request/query.ts'
import { json, arraySchema, objectSchema, mediaTypeOnly, TEXT as STRING } from '../http/route/response-specs.ts'
import { createPublicRouter, type PublicRouteDeps, varyByCredential } from '../http/route/public-router.ts'
import type { EncodedSkill } from '../core/skill/skill.ts'
import type { Docs } from './docs.ts'
import type { DocsSection } from './search.ts'

interface DocsRoutesDeps extends PublicRouteDeps {
  readonly loadDocs: () => Promise<Docs>
  /** The operations of the API, which a search includes along with the guides. */
  readonly loadReference: () => Promise<readonly DocsSection[]>
  /** The first skills that the reader may see. */
  readonly listSkills: (c: Context) => Promise<readonly EncodedSkill[]>
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' }
/** Ignores any query, because other sites add tracking parameters to links. */
const PAGE = { query: ANY_QUERY }
const MAX_QUERY_CHARACTERS = 200
const SEARCH = {
  query: defineQuery({ q: optional(string({ max: MAX_QUERY_CHARACTERS }), '') }, { unknown: 'ignore' }),
}
const HOSTS = {
  ...PAGE,
  summary: 'Get the configuration of each agent program',
  responses: {
    200: json('Configurations', objectSchema({ hosts: arraySchema(objectSchema({ id: STRING, title: STRING })) })),
  },
}
const LLMS = {
  ...PAGE,
  summary: 'Get a summary of the deployment for models',
  responses: { 200: mediaTypeOnly('Markdown', 'text/plain') },
}
const onPage = (failure: Failure) => page(failurePage(failure))
const NO_GUIDE = plainPage(404, 'Not found', 'There is no such guide')

export function createDocsRoutes({ loadDocs, loadReference, listSkills, ...deps }: DocsRoutesDeps): Hono {
  const { router, at } = createPublicRouter(deps)
  at('/', PAGE, () => redirectResponse('/docs'), onPage)
  at(
    '/docs',
    SEARCH,
    async (c, { q }) => {
      const [{ guidesPage, resultsPage }, docs] = await Promise.all([import('./guide.tsx'), loadDocs()])
      if (q.trim() === '') return guidesPage(docs)
      return resultsPage(docs, await loadReference(), q, getOrigin(c))
    },
    onPage,
  )
  at('/docs/agents.json', HOSTS, async (c) => {
    const { agentHosts } = await import('./agent-hosts.ts')
    return jsonTextResponse(JSON.stringify({ hosts: agentHosts(getOrigin(c)) }))
  })
  at(
    '/docs/:guide',
    PAGE,
    async (c) => {
      const [{ guidePage, guideText }, docs] = await Promise.all([import('./guide.tsx'), loadDocs()])
      const path = c.req.param('guide') ?? ''
      const file = Object.hasOwn(docs.files, path) ? docs.files[path] : undefined
      if (file !== undefined) {
        const headers = path.endsWith('.json') ? JSON_TYPE : TEXT
        return new Response(guideText({ text: file }, getOrigin(c)), { headers })
      }
      const name = path.replace(/\.md$/, '')
      const guide = docs.guides.find((candidate) => candidate.name === name)
      if (!guide) return page(NO_GUIDE)
      if (path === name) return guidePage(docs, guide, getOrigin(c))
      return new Response(guideText(guide, getOrigin(c)), { headers: MARKDOWN })
    },
    onPage,
  )
  at('/llms.txt', LLMS, async (c) => {
    const [{ llmsText }, { guides }, skills] = await Promise.all([import('./guide.tsx'), loadDocs(), listSkills(c)])
    return varyByCredential(c, new Response(llmsText(guides, skills, getOrigin(c)), { headers: TEXT }))
  })

  return router
}

export function getOrigin({ req }: Context): string {
  return new URL(req.url).origin
}
