import type { Hono } from 'hono'
import { namePart } from '../../core/tool/definition-fields.ts'
import { oneOf, optional } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'
import { plain } from '../../http/route/answers.ts'
import { ADMIN, createFace } from '../../http/route/route.ts'
import type { ArchiveDeps } from './export-and-restore.ts'
import { JSON_LINES } from './wire.ts'

const exportQuery = query({ toolkit: optional(namePart) })
const importQuery = query({ trust: optional(oneOf(['1'])) })

/** No secret, key or grant. An import changes nothing that is there; `?trust=1` takes what was not signed here. */
export function archiveFace(deps: ArchiveDeps): Hono {
  const { face, on } = createFace(deps)
  const load = async () => (await import('./export-and-restore.ts')).createArchive(deps)

  on('GET /export', 'Export the registry, or one toolkit', {
    ...ADMIN,
    act: 'registry.export',
    query: exportQuery,
    answers: { 200: plain('JSON lines', JSON_LINES) },
  })(async ({ query: { toolkit }, note }) => (await load()).exported(toolkit, note))

  on('POST /import', 'Restore an export', {
    ...ADMIN,
    act: 'registry.import',
    query: importQuery,
    sends: JSON_LINES,
    answers: { 200: plain('A result for each line, as JSON lines', JSON_LINES) },
  })(async ({ c, principal, query: { trust } }) => (await load()).imported(c, principal, trust === '1'))

  return face
}
