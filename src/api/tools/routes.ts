import type { Hono } from 'hono'
import { covers, mayActFor, maySee, type Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { filterSuggestions, resolveUserId } from '../../core/call/authorize-call.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { CheckReadiness } from '../../core/call/readiness.ts'
import { fail, type FailureResult, ok } from '../../core/failure/failure.ts'
import { formatSentence, describeFailure } from '../../core/failure/failure-text.ts'
import { convert } from '../../core/publish/convert.ts'
import type { ExportFormat } from '../../core/publish/export.ts'
import { type Publish, summarizeReports } from '../../core/publish/publish.ts'
import type { RegistryWriter } from '../../core/publish/registry.ts'
import {
  type WrapperFields,
  DEFINITION_BODY,
  PUBLICATION_BODY,
  parseWrapper,
} from '../../core/publish/publication-body.ts'
import type { Codec, DecodeOptions } from '../../core/tool/codec.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { isJsonObject, isJsonArray, type Json } from '../../core/tool/json.ts'
import { enumReader, optional, type Reader, string, addProblem } from '../../core/tool/json-reader.ts'
import { MAX_SOURCE_NODES } from '../../core/tool/json-text.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { didYouMean, type Problem, quoteList } from '../../core/tool/problem.ts'
import { toIdOrNameRef, formatToolId, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import { findHighest, resolveVersion } from '../../core/tool/version.ts'
import { noteHeader, notModified, PRIVATE } from '../../http/response/json-response.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { query, type QueryValues } from '../../http/request/query.ts'
import { ANY, jsonRef, itemList, json, arraySchema } from '../../http/route/response-specs.ts'
import { OBJECT, objectSchema, ref, NOT_CALLABLE_NOTE, UNCHANGED } from '../../http/route/response-specs.ts'
import { getBackground } from '../../http/route/authorizer.ts'
import {
  createRouter,
  type AddAuditDetails,
  PUBLISHER,
  READER,
  type RouteResult,
  type RouteDeps,
} from '../../http/route/router.ts'
import { createFindTool, type FindToolDeps, isKnownTo } from './find-tool.ts'
import * as wire from './wire.ts'

export interface RegistryRoutesDeps extends RouteDeps, FindToolDeps {
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'change'>
  readonly source: Pick<ToolSource, 'loadCurrent' | 'loadCurrentOrSuggest' | 'loadRecord' | 'whole'>
  readonly catalog: Pick<Catalog, 'list' | 'suggestNames'>
  readonly codecs: readonly Codec[]
  readonly sha256: Sha256
  readonly tellReadiness: CheckReadiness
  readonly formats: ReadonlyMap<string, ExportFormat>
}

const loadShared = () => import('../../core/publish/shared-documents.ts')
const PUBLISH_LIMIT = 16 * 1024 * 1024
const CONVERT_LIMIT = 1024 * 1024
const MAX_VERSIONS = 20
const EXACT = 'PATCH /tools/Toolkit.Tool@1.2.3'

interface Publishing {
  readonly principal: Principal
  readonly query: QueryValues<typeof wire.publicationQuery>
  readonly body: Json
  readonly note: AddAuditDetails
}
type Answered = RouteResult<unknown> | FailureResult

export function createRegistryRoutes(deps: RegistryRoutesDeps): Hono {
  const { publish, writer, source, codecs, sha256, formats, tellReadiness } = deps
  const find = createFindTool(deps, 'tools:read')
  const { router, on } = createRouter<wire.ToolAnswers>(deps, 'open')
  const format = enumReader([...formats.keys()])

  const publishing = {
    ...PUBLISHER,
    act: 'tools.publish',
    query: wire.publicationQuery,
    body: jsonBody(PUBLICATION_BODY, { limit: PUBLISH_LIMIT, parts: MAX_SOURCE_NODES }),
    answers: {
      200: {
        ...json('Already published; or, for a batch, one result for each definition', {
          anyOf: [ref('Published'), ref('Results')],
        }),
        note: NOT_CALLABLE_NOTE,
      },
      201: { ...jsonRef('Published', 'Published'), note: NOT_CALLABLE_NOTE },
    },
  } as const
  on('POST /tools', 'Publish tool definitions in any format, up to 1,000 at a time', publishing)(publishAll)
  const summary = 'Publish a machine-context document; without a body, list tools as GET does'
  on(
    'POST /machine-context/tools',
    summary,
    publishing,
  )(({ query, ...asked }) => publishAll({ ...asked, query: { dialect: 'machine-context', ...query } }))

  async function publishAll({ principal, query, body, note }: Publishing): Promise<Answered> {
    const { allow, dialect, ...given } = query
    const isBatch = isJsonArray(body)
    const documents = isJsonArray(body) ? body : [body]
    const reports = await publish(
      documents.map((document) => ({ body: document, dialect, given })),
      { principal, allowBreaking: allow !== undefined },
    )
    note(summarizeReports(reports))
    const beside = wire.publicationNote(reports)
    const noted = beside === undefined ? {} : { headers: noteHeader(beside) }
    if (isBatch) {
      const results = reports.map((report, index) => wire.encodeResult(report, wire.parseToolIdParam(documents[index])))
      return { ...ok({ results }), ...noted }
    }
    const [report] = reports
    if (!report) throw new Error('A publication came to nothing')
    if (!report.ok) return report
    return { ...ok(wire.encodePublished(report)), status: report.outcome === 'created' ? 201 : 200, ...noted }
  }

  on('GET /tools/:id', 'Get a tool definition', {
    ...READER,
    query: query({ format: optional(format), losses: wire.flag, neighbours: wire.flag }),
    answers: {
      200: json('The definition in the requested format; or the five most similar tools', ANY),
      304: UNCHANGED,
    },
  })(async ({ c, principal, path: { id }, query: { format: formatName, losses: withLosses, neighbours } }) => {
    const encode = formatNamed(formatName ?? 'oxp')
    const found = await find(id, principal, getBackground(c))
    if (!found) return whyNotFound(id, principal, getBackground(c))
    if (neighbours) {
      const { findNeighbors } = await import('./neighbors.ts')
      const items = await findNeighbors(found.record, deps.catalog, principal)
      return { ...ok({ items }), headers: { ...PRIVATE, 'cache-control': 'no-store' } }
    }
    const whole = await source.whole(found.record)
    const sees = async (other: string) => (await find(other, principal, getBackground(c))) !== undefined
    // Only the tool's own dialect has the whole document
    const isDocument = formatName === whole.source.dialect && !isAdministrator(principal)
    const seen = isDocument ? await (await loadShared()).redactSharedDocument(whole, codecs, sees) : whole
    const written = encode(seen, found.record.name)
    if (!written.ok) return fail({ type: 'definition-invalid', problems: written.problems })
    const { document, losses } = written.value
    const { digest: own, toolkitDescription = '' } = found.record
    const ofToolkit = formatName && toolkitDescription ? `.${await sha256(toolkitDescription)}` : ''
    const digest = own + ofToolkit + (seen === whole ? '' : '.alone')
    // The digest does not cover policies
    const { revision } = deps.policies.current()
    const named = formatName || withLosses ? `${digest}.${formatName}.${withLosses}` : digest
    const etag = revision > 0 && formatName ? `"${named}.${revision}"` : `"${named}"`
    const about = isAdministrator(principal) ? wire.publisherHeaders(found.publisher) : {}
    const headers = {
      ...PRIVATE,
      ...wire.statusHeaders(found.status),
      ...wire.guardHeaders(found.record),
      ...about,
      etag,
    }
    return notModified(c.req.raw, headers) ?? { ...ok(withLosses ? { document, losses } : document), headers }
  })

  on('GET /tools/:id/readiness', 'Check whether a call can run now', {
    ...READER,
    query: wire.readinessQuery,
    answers: { 200: jsonRef('Readiness, with any problems', 'Readiness') },
  })(async ({ c, principal, path: { id }, query: { user_id } }) => {
    const userId = resolveUserId(principal, user_id)
    if (userId !== undefined && !mayActFor(principal, userId))
      return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
    const found = await find(id, principal, getBackground(c))
    if (!found) return whyNotFound(id, principal, getBackground(c))
    const readiness = await tellReadiness(found, { principal, userId, requestUrl: () => c.req.raw.url })
    return { ...ok(readiness), headers: { ...PRIVATE, 'cache-control': 'no-store' } }
  })

  on('GET /tools/:id/versions', 'List the versions of a tool and their changes', {
    ...READER,
    answers: { 200: itemList('The versions, highest first', 'VersionHistory') },
  })(async ({ c, principal, path: { id } }) => {
    const seen = await find(id, principal, getBackground(c))
    const found = seen ?? (await findYanked(id, principal, getBackground(c)))
    const current = found && (await source.loadCurrent(found.record))
    const document = current && (await isKnownTo(principal, current, deps.toolkits))
    if (!document) return unknown(id)
    const { loadHistory } = await import('../../core/publish/history.ts')
    const history = await loadHistory(document, source, (record) => maySee(principal, record, 'tools:read'))
    return { ...ok({ items: history.map((each) => wire.encodeHistory(document, each)) }), headers: PRIVATE }
  })

  on('PATCH /tools/:id', 'Update the status of a version', {
    ...PUBLISHER,
    act: 'tool.change',
    body: jsonBody(wire.VERSION_CHANGE_BODY),
    answers: { 200: jsonRef('The updated version', 'Version') },
  })(async ({ c, principal, path: { id: asked }, body, note }) => {
    const id = parseToolId(asked)
    if (!id) return unknown(asked)
    note({ ...body })
    const successor = body.status?.state === 'deprecated' ? body.status.successor : undefined
    if (successor !== undefined && !(await find(successor, principal, getBackground(c))))
      return fail({ type: 'request-malformed', message: `The successor '${successor}' was not found` })
    // Another version may have come since an administrator looked
    if (body.trusted !== undefined && !isVersion(id.selector ?? '')) {
      const message = `To trust '${asked.slice(0, 200)}', name its version: ${EXACT}`
      return fail({ type: 'request-malformed', message })
    }
    const found = await source.loadCurrentOrSuggest(id)
    const document = 'versions' in found && covers(principal, found, 'tools:publish') ? found : undefined
    const known = document && (await isKnownTo(principal, document, deps.toolkits))
    const isNamed = id.selector !== undefined
    const held = document && resolveVersion(document.versions, id.selector)
    const version = (held ?? (isNamed || !known ? undefined : findHighest(known.versions, 'disabled')))?.version
    if (!document || version === undefined) {
      if (isNamed || !known) return unknown(asked)
      const versions = known.versions.slice(-MAX_VERSIONS).map((each) => `${each.version} (${each.status.state})`)
      const message = `Say which version of '${asked}' to change: there is ${versions.join(', ')}`
      return fail({ type: 'request-malformed', message })
    }
    const { toolkit, tool } = document
    const changed = await writer.change({ toolkit, tool }, version, body, principal)
    if (!changed) return unknown(asked)
    if (!changed.ok) {
      const { reason, isConflict } = changed
      return fail(isConflict ? { type: 'conflict', message: reason } : { type: 'forbidden', reason })
    }
    const entry = changed.document.versions.find((each) => each.version === version)
    if (!entry) return unknown(asked)
    const encoded = wire.encodeVersion(changed.document, entry, isAdministrator(principal))
    if (body.status?.state !== 'active' || entry.status.state === 'active') return ok(encoded)
    const message = `The status of its toolkit holds: change it with PATCH /toolkits/${toolkit}`
    return ok({ ...encoded, message })
  })

  on('POST /convert', 'Convert a definition to another format', {
    ...READER,
    query: query({
      ...wire.PUBLICATION_PARAMS,
      to: requireValue(format, [...formats.keys()]),
      from: optional(string({ most: 100 })),
    }),
    body: jsonBody(DEFINITION_BODY, { limit: CONVERT_LIMIT }),
    answers: {
      200: json(
        'The converted definition, and what it cannot express',
        objectSchema({ document: ANY, losses: arraySchema(OBJECT) }),
      ),
    },
  })(async ({ query: { to, from, ...given }, body }) => {
    const problems: Problem[] = []
    const { document, beside } = unwrapped(body, given, problems)
    if (problems.length > 0) return fail({ type: 'definition-invalid', problems })
    const result = await convert(document, { from, to: formatNamed(to), beside }, codecs, sha256)
    return result.ok ? ok(result.value) : fail({ type: 'definition-invalid', problems: result.problems })
  })

  /** Names the versions of a tool that the caller may see, or the tools with names near an unknown one. */
  async function whyNotFound(asked: string, principal: Principal, background: WaitUntil): Promise<FailureResult> {
    const resolved = await deps.resolver.resolve(toIdOrNameRef(asked), background)
    const near = async () => unknown(asked, await deps.catalog.suggestNames(asked, principal))
    if (resolved.ok || resolved.failure.type !== 'version-unavailable') return near()
    if (!(await find(resolved.failure.tool, principal, background))) return near()
    const { failure } = await filterSuggestions(asked, resolved, { principal, background }, deps.resolver)
    if (failure.type !== 'version-unavailable') return unknown(asked)
    return fail({ type: 'not-found', message: formatSentence(describeFailure(failure)) })
  }

  /** Versions that are all yanked answer to their exact ids alone. */
  async function findYanked(asked: string, principal: Principal, background: WaitUntil) {
    const id = parseToolId(asked)
    const current = id && id.selector === undefined ? await source.loadCurrent(id) : undefined
    const yanked = current && findHighest(current.versions, 'yanked')
    return yanked && find(formatToolId(current, yanked.version), principal, background)
  }

  function formatNamed(name: string): ExportFormat {
    const format = formats.get(name)
    if (!format) throw new Error(`No format '${name}'`)
    return format
  }

  return router
}

function unwrapped(
  body: Json,
  given: DecodeOptions,
  problems: Problem[],
): { readonly document: Json; readonly beside: WrapperFields } {
  if (!isJsonObject(body) || body.definition === undefined) return { document: body, beside: { given } }
  const beside = parseWrapper(body, problems)
  return { document: body.definition, beside: { ...beside, given: { ...given, ...beside.given } } }
}

function requireValue(reader: Reader<string>, words: readonly string[]): Reader<string> {
  return (value, report) =>
    value === undefined ? addProblem(report, `Is required: one of ${quoteList(words)}`) : reader(value, report)
}

function unknown(asked: string, near: readonly string[] = []): FailureResult {
  return fail({ type: 'not-found', message: `Tool '${asked.slice(0, 200)}' was not found${didYouMean(near)}` })
}
