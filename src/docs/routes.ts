import { type Context, Hono } from 'hono'
import { jsonText } from '../http/answer/json-response.ts'
import { failurePage, goTo, page, plainPage } from '../http/page/page.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import { json, listOf, objectOf, plain, TEXT as STRING } from '../http/route/answers.ts'
import { createPublicRoute, preflight, type PublicRouteDeps } from '../http/route/public-route.ts'
import type { Guide } from './guide.tsx'

export interface DocsFaceDeps extends PublicRouteDeps {
  /** The guides, in order. Called when one is first asked for: they are no part of what a start evaluates. */
  readonly loadGuides: () => Promise<readonly Guide[]>
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' }
const HOSTS = {
  summary: 'How each agent host is told of this deployment',
  answers: { 200: json('Configurations', objectOf({ hosts: listOf(objectOf({ id: STRING, title: STRING })) })) },
}
const LLMS = {
  summary: 'What the deployment says of itself to models',
  answers: { 200: plain('Markdown', 'text/plain') },
}
const NO_GUIDE = plainPage(404, 'Nothing here', 'There is no such guide')

/**
 * `GET /docs`, `/docs/{guide}`, `/docs/{guide}.md` and `/llms.txt`: the guides as pages and as Markdown, with this deployment's
 * own addresses in their examples; `GET /` leads there. `/docs/agents.json` has the configuration of each agent host by itself, for programs.
 */
export function docsFace({ loadGuides, ...deps }: DocsFaceDeps): Hono {
  const open = createPublicRoute(deps)
  const shown = createPublicRoute({ ...deps, respond: (failure) => page(failurePage(failure)) })
  const face = new Hono()
  // What is one text for everybody passes its query over: links get parameters that say where they were found
  // Who opens the address of a deployment in a browser finds out what it is
  at('/', async () => goTo('/docs'), shown)
  at(
    '/docs',
    async () => {
      const [{ guidesPage }, guides] = await Promise.all([import('./guide.tsx'), loadGuides()])
      return page(guidesPage(guides))
    },
    shown,
  )
  at(
    '/docs/agents.json',
    async (c) => {
      const { agentHosts } = await import('./agent-hosts.ts')
      return jsonText(JSON.stringify({ hosts: agentHosts(originOf(c)) }))
    },
    open,
    HOSTS,
  )
  at(
    '/docs/:guide',
    async (c) => {
      const [{ guidePage, guideText }, guides] = await Promise.all([import('./guide.tsx'), loadGuides()])
      const asked = c.req.param('guide') ?? ''
      const name = asked.replace(/\.md$/, '')
      const guide = guides.find((each) => each.name === name)
      if (!guide) return page(NO_GUIDE)
      if (asked === name) return page(guidePage(guide, originOf(c)))
      return new Response(guideText(guide, originOf(c)), { headers: MARKDOWN })
    },
    shown,
  )
  at(
    '/llms.txt',
    async (c) => {
      const [{ llmsText }, guides] = await Promise.all([import('./guide.tsx'), loadGuides()])
      return new Response(llmsText(guides, originOf(c)), { headers: TEXT })
    },
    open,
    LLMS,
  )

  function at(path: string, give: (c: Context) => Promise<Response>, route = open, described = {}): void {
    face.get(path, route({ query: ANY_QUERY, ...described }, give))
    face.options(path, preflight)
  }

  return face
}

function originOf({ req }: Context): string {
  return new URL(req.url).origin
}
