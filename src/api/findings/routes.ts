import type { Hono } from 'hono'
import { NEEDS_CREDENTIAL } from '../../core/access/principal.ts'
import { integerStringReader } from '../../core/call/call-options.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import type { CompareToolkit } from '../../core/publish/findings/compare-toolkit.ts'
import { type Finding, type FindingStore, MAX_FINDINGS, SEVERITIES } from '../../core/publish/findings/finding.ts'
import { findPublisherRights } from '../../core/publish/publish.ts'
import type { RegistryWriter } from '../../core/publish/registry.ts'
import { namePart } from '../../core/tool/definition-fields.ts'
import { enumReader, optional, string } from '../../core/tool/json-reader.ts'
import { defineQuery } from '../../http/request/query.ts'
import { itemList, json, pageSchema } from '../../http/route/response-specs.ts'
import { createRouter, PUBLISHER_ROUTE, type RouteDeps } from '../../http/route/router.ts'

interface FindingsRoutesDeps extends RouteDeps {
  readonly findings: Pick<FindingStore, 'takeSources' | 'list'>
  readonly compare: CompareToolkit
  readonly writer: Pick<RegistryWriter, 'rights'>
}

const MAX_LIMIT = 100

/** Differences of imported tools from their sources, for callers who may change the toolkit. */
export function createFindingsRoutes({ findings, compare, writer, ...deps }: FindingsRoutesDeps): Hono {
  const { router, on } = createRouter<FindingAnswers>(deps)

  on('GET /findings', 'List how imported tools differ from their sources', {
    ...PUBLISHER_ROUTE,
    query: defineQuery({
      toolkit: optional(namePart),
      severity: optional(enumReader(SEVERITIES)),
      limit: optional(integerStringReader(1, MAX_LIMIT), MAX_LIMIT),
      cursor: optional(string({ min: 1, max: 256 })),
    }),
    responses: { 200: json('Sorted by tool', pageSchema('Finding')) },
  })(async ({ principal, query: { cursor, ...filters } }) => {
    const { items, next } = await findings.list({ ...filters, after: cursor }, principal)
    return ok({ items: items.map(encodeFinding), ...(next === undefined ? {} : { next_cursor: next }) })
  })

  on('POST /toolkits/:toolkit/compare', 'Compare an imported toolkit with its source', {
    ...PUBLISHER_ROUTE,
    path: { toolkit: namePart },
    auditAction: 'toolkit.compare',
    responses: { 200: itemList('Differences from the source', 'Finding') },
  })(async ({ c, principal, fetchCapability, path: { toolkit }, addAuditDetails }) => {
    const { denied: reason } = await findPublisherRights(principal, toolkit, writer)
    if (reason !== undefined) return fail({ type: 'forbidden', reason })
    if (!fetchCapability) return fail(NEEDS_CREDENTIAL)
    const [source] = await findings.takeSources({ toolkit })
    if (!source) {
      const message = `The toolkit '${toolkit}' has no source to compare with: it was not imported from a URL`
      return fail({ type: 'not-found', message })
    }
    const { state, refusal } = await compare(source, fetchCapability, c.req.raw.signal)
    if (refusal) return refusal
    const { items } = await findings.list({ toolkit, limit: MAX_FINDINGS }, principal)
    addAuditDetails({ findings: items.length, ...(state === 'partial' ? { partial: true } : {}) })
    return ok({ items: items.map(encodeFinding) })
  })

  return router
}

function encodeFinding({ since, seen, ...finding }: Finding) {
  return { ...finding, since: new Date(since).toISOString(), seen: new Date(seen).toISOString() }
}

type ListedFinding = ReturnType<typeof encodeFinding>

export interface FindingAnswers {
  'GET /findings': { readonly items: readonly ListedFinding[]; readonly next_cursor?: string }
  'POST /toolkits/:toolkit/compare': { readonly items: readonly ListedFinding[] }
}
