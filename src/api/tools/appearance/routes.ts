import type { Hono } from 'hono'
import type { FetchCapability } from '../../../core/access/principal.ts'
import { fail } from '../../../core/failure/failure.ts'
import { buildPagePolicy } from '../../../core/page/page.ts'
import type { ReadPage } from '../../../core/page/read-page.ts'
import { iconSource, type IconImage } from '../../../core/tool/appearance.ts'
import { CALL_UNITS, createBudget } from '../../../core/tool/budget.ts'
import { parseToolRef } from '../../../core/tool/tool-ref.ts'
import { getBackground } from '../../../http/route/authorizer.ts'
import { createCaller } from '../../../http/route/incoming-call.ts'
import { mediaTypeOnly } from '../../../http/route/response-specs.ts'
import { CALLER_ROUTE, createRouter, READER_ROUTE, type RouteDeps } from '../../../http/route/router.ts'
import { createFindTool, type FindToolDeps } from '../find-tool.ts'

interface AppearanceRoutesDeps extends RouteDeps, FindToolDeps {
  readonly readIcon: (source: string, capability: FetchCapability | undefined) => Promise<IconImage | undefined>
  readonly readPage: ReadPage
}

const HEADERS = { 'x-content-type-options': 'nosniff', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/** A tool's icon and page, for callers with a key and for signed-in people on this deployment's pages. */
export function createAppearanceRoutes({ readIcon, readPage, ...deps }: AppearanceRoutesDeps): Hono {
  const { router, on } = createRouter(deps, { access: 'public' })
  const find = createFindTool(deps, 'tools:read')

  on('GET /tools/:id/icon', "Get a tool's icon as PNG, JPEG, WebP or SVG", {
    ...READER_ROUTE,
    responses: { 200: mediaTypeOnly('The picture', 'image/*') },
  })(async ({ c, principal, fetchCapability, path: { id } }) => {
    const tool = await find(id, principal, getBackground(c))
    const source = tool && iconSource(tool.record)
    const image = source === undefined ? undefined : await readIcon(source, fetchCapability)
    if (image) return new Response(image.bytes, { headers: buildIconHeaders(image, fetchCapability !== undefined) })
    const message = `Tool '${id.slice(0, 200)}' was not found, or has no icon that can be shown`
    return fail({ type: 'not-found', message })
  })

  // For the console's frame. Even if opened directly, a page has no origin and can load only what its policy allows
  on('GET /tools/:id/page', "Get a tool's page as HTML", {
    ...CALLER_ROUTE,
    responses: { 200: mediaTypeOnly('The page', 'text/html') },
  })(async ({ c, principal, path: { id } }) => {
    const origin = { principal, request: c.req.raw, background: getBackground(c), budget: createBudget(CALL_UNITS) }
    const page = await readPage(parseToolRef(id), createCaller(origin, 'http'))
    if (!page.ok) return page
    const type = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    const headers = { ...HEADERS, ...type, 'content-security-policy': buildPagePolicy(page.value) }
    return new Response(page.value.html, { headers })
  })

  return router
}

/** An SVG may contain scripts. Pages show it as an image, which runs none, and the sandbox applies if it is opened alone. */
function buildIconHeaders({ type, bytes }: IconImage, isKnown: boolean): Record<string, string> {
  return {
    ...HEADERS,
    'content-type': type,
    'content-length': String(bytes.length),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': isKnown ? 'private, max-age=3600' : 'no-store',
    'vary': 'Authorization, Cookie, OXP-API-Key',
  }
}
