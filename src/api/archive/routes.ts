import type { Hono } from 'hono'
import { namePart } from '../../core/tool/definition-fields.ts'
import { enumReader, optional } from '../../core/tool/json-reader.ts'
import { defineQuery } from '../../http/request/query.ts'
import { mediaTypeOnly } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter } from '../../http/route/router.ts'
import type { ArchiveDeps } from './export-and-restore.ts'
import { JSON_LINES } from './wire.ts'

const exportQuery = defineQuery({ toolkit: optional(namePart) })
const importQuery = defineQuery({ trust: optional(enumReader(['1'])) })

/** Exports contain no secrets, keys or grants. Imports change nothing that exists; `?trust=1` accepts files not signed here. */
export function createArchiveRoutes(deps: ArchiveDeps): Hono {
  const { router, on } = createRouter(deps)
  const load = async () => (await import('./export-and-restore.ts')).createArchive(deps)

  on('GET /export', 'Export the registry, or one toolkit', {
    ...ADMIN_ROUTE,
    auditAction: 'registry.export',
    query: exportQuery,
    responses: { 200: mediaTypeOnly('JSON lines', JSON_LINES) },
  })(async ({ query: { toolkit }, addAuditDetails }) => (await load()).exportArchive(toolkit, addAuditDetails))

  on('POST /import', 'Restore an export', {
    ...ADMIN_ROUTE,
    auditAction: 'registry.import',
    query: importQuery,
    requestType: JSON_LINES,
    responses: { 200: mediaTypeOnly('A result for each line, as JSON lines', JSON_LINES) },
  })(async ({ c, principal, query: { trust } }) => (await load()).restoreArchive(c, principal, trust === '1'))

  return router
}
