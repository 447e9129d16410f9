import type { Hono } from 'hono'
import { namePart } from '../../core/tool/definition-fields.ts'
import { enumReader, optional } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'
import { mediaTypeOnly } from '../../http/route/response-specs.ts'
import { ADMIN, createRouter } from '../../http/route/router.ts'
import type { ArchiveDeps } from './export-and-restore.ts'
import { JSON_LINES } from './wire.ts'

const exportQuery = query({ toolkit: optional(namePart) })
const importQuery = query({ trust: optional(enumReader(['1'])) })

/** No secret, key or grant. An import changes nothing that is there; `?trust=1` takes what was not signed here. */
export function createArchiveRoutes(deps: ArchiveDeps): Hono {
  const { router, on } = createRouter(deps)
  const load = async () => (await import('./export-and-restore.ts')).createArchive(deps)

  on('GET /export', 'Export the registry, or one toolkit', {
    ...ADMIN,
    act: 'registry.export',
    query: exportQuery,
    answers: { 200: mediaTypeOnly('JSON lines', JSON_LINES) },
  })(async ({ query: { toolkit }, note }) => (await load()).exported(toolkit, note))

  on('POST /import', 'Restore an export', {
    ...ADMIN,
    act: 'registry.import',
    query: importQuery,
    sends: JSON_LINES,
    answers: { 200: mediaTypeOnly('A result for each line, as JSON lines', JSON_LINES) },
  })(async ({ c, principal, query: { trust } }) => (await load()).imported(c, principal, trust === '1'))

  return router
}
