import type { Hono } from 'hono'
import type { FetchCapability } from '../../../core/access/principal.ts'
import { fail } from '../../../core/failure/failure.ts'
import { iconSource, type IconImage } from '../../../core/tool/appearance.ts'
import { mediaTypeOnly } from '../../../http/route/response-specs.ts'
import { getBackground } from '../../../http/route/authorizer.ts'
import { createRouter, READER_ROUTE, type RouteDeps } from '../../../http/route/router.ts'
import { createFindTool, type FindToolDeps } from '../find-tool.ts'

interface IconRoutesDeps extends RouteDeps, FindToolDeps {
  readonly readIcon: (source: string, capability: FetchCapability | undefined) => Promise<IconImage | undefined>
}

/** For keys, and for the pages of this deployment as whoever is signed in. */
export function createIconRoutes({ readIcon, ...deps }: IconRoutesDeps): Hono {
  const { router, on } = createRouter(deps, { access: 'public' })
  const find = createFindTool(deps, 'tools:read')

  on('GET /tools/:id/icon', "Get a tool's icon as PNG, JPEG, WebP or SVG", {
    ...READER_ROUTE,
    responses: { 200: mediaTypeOnly('The picture', 'image/*') },
  })(async ({ c, principal, fetchCapability, path: { id } }) => {
    const tool = await find(id, principal, getBackground(c))
    const source = tool && iconSource(tool.record)
    const image = source === undefined ? undefined : await readIcon(source, fetchCapability)
    if (image) return new Response(image.bytes, { headers: buildHeaders(image, fetchCapability !== undefined) })
    const message = `Tool '${id.slice(0, 200)}' was not found, or has no icon that can be shown`
    return fail({ type: 'not-found', message })
  })

  return router
}

/** A drawing may hold scripts: pages show it as a picture, which runs none, and opened by itself it has a sandbox. */
function buildHeaders({ type, bytes }: IconImage, isKnown: boolean): Record<string, string> {
  return {
    'content-type': type,
    'content-length': String(bytes.length),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cache-control': isKnown ? 'private, max-age=3600' : 'no-store',
    'vary': 'Authorization, Cookie, OXP-API-Key',
  }
}
