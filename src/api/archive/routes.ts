import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import { namePart } from '../../core/tool/definition-fields.ts'
import { optional } from '../../core/tool/json-reader.ts'
import { NO_QUERY, query } from '../../http/request/query.ts'
import { createPrivateRoute } from '../../http/route/route.ts'
import type { ArchiveDeps } from './archive.ts'

/** `?toolkit=`: nothing but what is of it. */
const exportQuery = query({ toolkit: optional(namePart) })

/**
 * `GET /export`: the registry, or a toolkit of it, as JSON lines, never a secret, a key or a grant. `POST /import`: the same taken
 * in again, which changes nothing that is there. Both are for administrators, and are loaded with the first of them.
 */
export function archiveFace(deps: ArchiveDeps): Hono {
  const route = createPrivateRoute(deps)
  const load = async () => (await import('./archive.ts')).createArchive(deps)
  const face = new Hono()

  face.get(
    '/export',
    route({ scope: 'admin', act: 'registry.export', query: exportQuery }, async (_, __, note, { toolkit }) =>
      (await load()).exported(toolkit, note),
    ),
  )
  face.post(
    '/import',
    route({ scope: 'admin', act: 'registry.import', query: NO_QUERY }, async (c: Context, principal: Principal) =>
      (await load()).imported(c, principal),
    ),
  )

  return face
}
