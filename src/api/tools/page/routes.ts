import type { Hono } from 'hono'
import { buildPagePolicy } from '../../../core/page/page.ts'
import type { ReadPage } from '../../../core/page/read-page.ts'
import { CALL_UNITS, createBudget } from '../../../core/tool/budget.ts'
import { parseToolRef } from '../../../core/tool/tool-ref.ts'
import { getBackground } from '../../../http/route/authorizer.ts'
import { createCaller } from '../../../http/route/incoming-call.ts'
import { mediaTypeOnly } from '../../../http/route/response-specs.ts'
import { CALLER_ROUTE, createRouter, type RouteDeps } from '../../../http/route/router.ts'

/** For the console's frame. Also opened by itself, a page has no origin, and reaches only what its own policy names. */
export function createPageRoutes({ readPage, ...deps }: RouteDeps & { readonly readPage: ReadPage }): Hono {
  const { router, on } = createRouter(deps, { access: 'public' })

  on('GET /tools/:id/page', "Get a tool's page as HTML, for a frame", {
    ...CALLER_ROUTE,
    responses: { 200: mediaTypeOnly('The page', 'text/html') },
  })(async ({ c, principal, path: { id } }) => {
    const origin = { principal, request: c.req.raw, background: getBackground(c), budget: createBudget(CALL_UNITS) }
    const page = await readPage(parseToolRef(id), createCaller(origin, 'http'))
    if (!page.ok) return page
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': buildPagePolicy(page.value),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    }
    return new Response(page.value.html, { headers })
  })

  return router
}
