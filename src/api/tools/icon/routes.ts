import type { Hono } from 'hono'
import type { Admission } from '../../../core/access/principal.ts'
import { fail } from '../../../core/failure/failure.ts'
import { iconSource, type Picture } from '../../../core/tool/appearance.ts'
import { plain } from '../../../http/route/answers.ts'
import { backgroundOf } from '../../../http/route/gate.ts'
import { createFace, READER, type RouteDeps } from '../../../http/route/route.ts'
import { createFindTool, type FindToolDeps } from '../find-tool.ts'

export interface IconFaceDeps extends RouteDeps, FindToolDeps {
  readonly readIcon: (source: string, asker: Admission | undefined) => Promise<Picture | undefined>
}

/** For keys, and for the pages of this deployment as whoever is signed in. */
export function iconFace({ readIcon, ...deps }: IconFaceDeps): Hono {
  const { face, on } = createFace(deps, 'open')
  const find = createFindTool(deps, 'tools:read')

  on('GET /tools/:id/icon', "Get a tool's icon as PNG, JPEG, WebP or SVG", {
    ...READER,
    answers: { 200: plain('The picture', 'image/*') },
  })(async ({ c, principal, admission, path: { id } }) => {
    const found = await find(id, principal, backgroundOf(c))
    const source = found && iconSource(found.record)
    const picture = source === undefined ? undefined : await readIcon(source, admission)
    if (picture) return new Response(picture.bytes, { headers: headersOf(picture, admission !== undefined) })
    const message = `Tool '${id.slice(0, 200)}' was not found, or has no icon that can be shown`
    return fail({ type: 'not-found', message })
  })

  return face
}

/** A drawing may hold scripts: pages show it as a picture, which runs none, and opened by itself it has a sandbox. */
function headersOf({ type, bytes }: Picture, isKnown: boolean): Record<string, string> {
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
