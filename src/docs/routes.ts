import type { Context, Hono } from 'hono'
import type { Failure } from '../core/failure/failure.ts'
import { jsonText } from '../http/answer/json-response.ts'
import { failurePage, goTo, page, plainPage } from '../http/page/page.ts'
import { optional, string } from '../core/tool/json-reader.ts'
import { ANY_QUERY, query } from '../http/request/query.ts'
import { json, listOf, objectOf, plain, TEXT as STRING } from '../http/route/answers.ts'
import { createPublicFace, type PublicRouteDeps } from '../http/route/public-route.ts'
import type { Docs } from './docs.ts'
import type { DocsSection } from './search.ts'

export interface DocsFaceDeps extends PublicRouteDeps {
  readonly loadDocs: () => Promise<Docs>
  /** The operations of the API, which a search finds beside the guides. */
  readonly loadReference: () => Promise<readonly DocsSection[]>
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' }
/** Any query is passed over, as links get parameters that say where they were found. */
const PAGE = { query: ANY_QUERY }
const MAX_QUESTION = 200
const SEARCH = { query: query({ q: optional(string({ most: MAX_QUESTION }), '') }, { others: 'ignored' }) }
const HOSTS = {
  ...PAGE,
  summary: 'Get the configuration of each agent program',
  answers: { 200: json('Configurations', objectOf({ hosts: listOf(objectOf({ id: STRING, title: STRING })) })) },
}
const LLMS = {
  ...PAGE,
  summary: 'Get a summary of the deployment for models',
  answers: { 200: plain('Markdown', 'text/plain') },
}
const onPage = (failure: Failure) => page(failurePage(failure))
const NO_GUIDE = plainPage(404, 'Not found', 'There is no such guide')

export function docsFace({ loadDocs, loadReference, ...deps }: DocsFaceDeps): Hono {
  const { face, at } = createPublicFace(deps)
  at('/', PAGE, () => goTo('/docs'), onPage)
  at(
    '/docs',
    SEARCH,
    async (c, { q }) => {
      const [{ guidesPage, resultsPage }, docs] = await Promise.all([import('./guide.tsx'), loadDocs()])
      if (q.trim() === '') return guidesPage(docs)
      return resultsPage(docs, await loadReference(), q, originOf(c))
    },
    onPage,
  )
  at('/docs/agents.json', HOSTS, async (c) => {
    const { agentHosts } = await import('./agent-hosts.ts')
    return jsonText(JSON.stringify({ hosts: agentHosts(originOf(c)) }))
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
        return new Response(guideText({ text: file }, originOf(c)), { headers })
      }
      const name = path.replace(/\.md$/, '')
      const guide = docs.guides.find((each) => each.name === name)
      if (!guide) return page(NO_GUIDE)
      if (path === name) return guidePage(docs, guide, originOf(c))
      return new Response(guideText(guide, originOf(c)), { headers: MARKDOWN })
    },
    onPage,
  )
  at('/llms.txt', LLMS, async (c) => {
    const [{ llmsText }, { guides }] = await Promise.all([import('./guide.tsx'), loadDocs()])
    return new Response(llmsText(guides, originOf(c)), { headers: TEXT })
  })

  return face
}

export function originOf({ req }: Context): string {
  return new URL(req.url).origin
}
