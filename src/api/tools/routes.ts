import type { Context, Hono } from 'hono'
import { covers, mayActFor, maySee, type Principal } from '../../core/access/principal.ts'
import { toOwnRef } from '../../core/access/tool-view.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { resolveUserId } from '../../core/call/authorize-call.ts'
import { hideFromViewer } from '../../core/call/hide-tools.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { CheckReadiness } from '../../core/call/readiness.ts'
import { fail, type FailureResult, ok } from '../../core/failure/failure.ts'
import { formatSentence, describeFailure } from '../../core/failure/failure-text.ts'
import { convert } from '../../core/publish/convert.ts'
import type { ExportFormat } from '../../core/publish/export.ts'
import { type Publish } from '../../core/publish/publish.ts'
import { encodePublished, SUCCESS_STATUS, summarizeResults } from '../../core/publish/report.ts'
import type { RegistryWriter } from '../../core/publish/registry.ts'
import { DEFINITION_BODY, PUBLICATION_BODY, unwrapBody } from '../../core/publish/publication-body.ts'
import { getAppearance } from '../../core/tool/appearance.ts'
import type { Codec } from '../../core/tool/codec.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { isJsonArray, type Json } from '../../core/tool/json.ts'
import { enumReader, optional, type Reader, string, addProblem } from '../../core/tool/json-reader.ts'
import { MAX_SOURCE_NODES } from '../../core/tool/json-text.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import { didYouMean, quoteList } from '../../core/tool/problem.ts'
import { formatToolId, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { parseToolRef } from '../../core/tool/tool-ref.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import type { VersionEntry } from '../../core/tool/tool.ts'
import { findHighest, resolveVersion } from '../../core/tool/version.ts'
import { noteHeader, notModified, PRIVATE, statusHeaders } from '../../http/response/json-response.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { defineQuery, type QueryValues } from '../../http/request/query.ts'
import { ANY, jsonRef, itemList, json, arraySchema } from '../../http/route/response-specs.ts'
import { OBJECT, objectSchema, ref, NOT_CALLABLE_NOTE, UNCHANGED } from '../../http/route/response-specs.ts'
import { getBackground } from '../../http/route/authorizer.ts'
import {
  createRouter,
  type AddAuditDetails,
  PUBLISHER_ROUTE,
  READER_ROUTE,
  type RouteResult,
  type RouteDeps,
} from '../../http/route/router.ts'
import { createFindTool, type FindToolDeps, withoutHiddenVersions } from './find-tool.ts'
import type { ReadinessToolsDeps } from './readiness-tools.ts'
import { findOwnSuccessor, findUnknownSuccessor } from '../../core/publish/successor.ts'
import * as wire from './wire.ts'

interface RegistryRoutesDeps extends RouteDeps, FindToolDeps, Pick<ReadinessToolsDeps, 'views'> {
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'change'>
  readonly source: Pick<ToolSource, 'loadCurrent' | 'loadCurrentOrSuggest' | 'loadRecord' | 'attachDocument'>
  readonly catalog: Pick<Catalog, 'list' | 'suggestNames'>
  readonly codecs: readonly Codec[]
  readonly sha256: Sha256
  readonly checkReadiness: CheckReadiness
  readonly formats: ReadonlyMap<string, ExportFormat>
}

const loadShared = () => import('../../core/publish/shared-documents.ts')
const PUBLISH_LIMIT = 16 * 1024 * 1024
const CONVERT_LIMIT = 1024 * 1024
const READINESS_LIMIT = 1024 * 1024
const MAX_VERSIONS = 20
const NOT_STORED = { ...PRIVATE, 'cache-control': 'no-store' }

interface PublishRequest {
  readonly principal: Principal
  readonly query: QueryValues<typeof wire.publicationQuery>
  readonly body: Json
  readonly addAuditDetails: AddAuditDetails
}
type PublishResult = RouteResult<unknown> | FailureResult

export function createRegistryRoutes(deps: RegistryRoutesDeps): Hono {
  const { publish, writer, source, codecs, sha256, formats, checkReadiness } = deps
  const find = createFindTool(deps, 'tools:read')
  const { router, on } = createRouter<wire.ToolAnswers>(deps, { access: 'public' })
  const format = enumReader([...formats.keys()])

  const operation = {
    ...PUBLISHER_ROUTE,
    auditAction: 'tools.publish',
    query: wire.publicationQuery,
    body: jsonBody(PUBLICATION_BODY, { limit: PUBLISH_LIMIT, parts: MAX_SOURCE_NODES }),
    responses: {
      200: {
        ...json('Already published; or, for a batch, one result for each definition', {
          anyOf: [ref('Published'), ref('Results')],
        }),
        note: NOT_CALLABLE_NOTE,
      },
      201: { ...jsonRef('Published', 'Published'), note: NOT_CALLABLE_NOTE },
    },
  } as const
  on('POST /tools', 'Publish tool definitions in any format, up to 1,000 at a time', operation)(publishAll)
  const summary = 'Publish a machine-context document; without a body, list tools as GET does'
  on(
    'POST /machine-context/tools',
    summary,
    operation,
  )(({ query, ...request }) =>
    publishAll({ ...request, query: { ...query, dialect: query.dialect ?? 'machine-context' } }),
  )

  async function publishAll({ principal, query, body, addAuditDetails }: PublishRequest): Promise<PublishResult> {
    const { allow, dialect, ...decodeOptions } = query
    const isBatch = isJsonArray(body)
    const documents = isJsonArray(body) ? body : [body]
    const results = await publish(
      documents.map((body) => ({ kind: 'document', body, dialect, decodeOptions })),
      { principal, allowBreaking: allow !== undefined },
    )
    addAuditDetails(summarizeResults(results))
    const noteText = wire.publicationNote(results)
    const note = noteText === undefined ? {} : { headers: noteHeader(noteText) }
    if (isBatch) {
      const items = results.map((result, index) => wire.encodeResult(result, wire.parseToolIdParam(documents[index])))
      return { ...ok({ results: items }), ...note }
    }
    const [result] = results
    if (!result) throw new Error('A publication came to nothing')
    if (!result.ok) return result
    return { ...ok(encodePublished(result)), status: SUCCESS_STATUS[result.outcome], ...note }
  }

  on('GET /tools/:id', 'Get a tool definition', {
    ...READER_ROUTE,
    query: defineQuery({ format: optional(format), losses: wire.flag, neighbours: wire.flag }),
    responses: {
      200: json('The definition in the requested format; or the five most similar tools', ANY),
      304: UNCHANGED,
    },
  })(async ({ c, principal, path: { id }, query: { format: formatName, losses: withLosses, neighbours } }) => {
    const encode = getFormat(formatName ?? 'oxp')
    const tool = await find(id, principal, getBackground(c))
    if (!tool) return explainNotFound(id, principal, getBackground(c))
    if (neighbours) {
      const { findNeighbors } = await import('./neighbors.ts')
      const items = await findNeighbors(tool.listed, deps.catalog, principal)
      return { ...ok({ items }), headers: NOT_STORED }
    }
    const record = await source.attachDocument(tool.listed)
    const mayRead = async (otherId: string) => (await find(otherId, principal, getBackground(c))) !== undefined
    // Only the tool's own dialect exports the whole document
    const isDocument = formatName === record.source.dialect && !isAdministrator(principal)
    const readable = isDocument ? await (await loadShared()).redactSharedDocument(record, codecs, mayRead) : record
    const encodedTool = encode(readable, tool.listed.name)
    if (!encodedTool.ok) return fail({ type: 'definition-invalid', problems: encodedTool.problems })
    const { document, losses } = encodedTool.value
    const { digest: recordDigest, toolkitDescription = '' } = tool.listed
    const toolkitSuffix = formatName && toolkitDescription ? `.${await sha256(toolkitDescription)}` : ''
    const digest = recordDigest + toolkitSuffix + (readable === record ? '' : '.alone')
    // The digest does not cover policies
    const { revision } = deps.policies.current()
    const tag = formatName || withLosses ? `${digest}.${formatName}.${withLosses}` : digest
    const etag = revision > 0 && formatName ? `"${tag}.${revision}"` : `"${tag}"`
    const publisherHeaders = isAdministrator(principal) ? wire.publisherHeaders(tool.publisher) : {}
    const headers = {
      ...PRIVATE,
      ...statusHeaders(tool.status),
      ...wire.guardHeaders(tool.record),
      ...publisherHeaders,
      etag,
    }
    return notModified(c.req.raw, headers) ?? { ...ok(withLosses ? { document, losses } : document), headers }
  })

  on('GET /tools/:id/readiness', 'Check whether a call can run now', {
    ...READER_ROUTE,
    query: wire.readinessQuery,
    responses: { 200: jsonRef('Readiness, with any problems', 'Readiness') },
  })(async ({ c, principal, path: { id }, query: { user_id } }) => {
    const check = createToolCheck(c, principal, user_id)
    const readiness = check.ok ? await check.value(id) : check
    return readiness.ok ? { ...readiness, headers: NOT_STORED } : readiness
  })

  on('POST /readiness', 'Check whether calls of several tools can run now', {
    ...READER_ROUTE,
    body: jsonBody(wire.READINESS_BODY, { limit: READINESS_LIMIT }),
    responses: { 200: jsonRef('The readiness of each tool, in the order of the request', 'ReadinessReport') },
  })(async ({ c, principal, body }) => {
    const { selectReadinessTools } = await import('./readiness-tools.ts')
    const selection = await selectReadinessTools(body, principal, getBackground(c), deps)
    if (!selection.ok) return selection
    const { refs, viewer } = selection.value
    const check = createToolCheck(c, viewer, body.user_id)
    if (!check.ok) return check
    const { reportReadiness } = await import('./readiness-report.ts')
    return { ...ok(await reportReadiness(refs, check.value)), headers: NOT_STORED }
  })

  function createToolCheck(c: Context, principal: Principal, user: string | undefined) {
    const background = getBackground(c)
    const userId = resolveUserId(principal, user)
    if (userId !== undefined && !mayActFor(principal, userId))
      return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
    return ok(async (id: string) => {
      const tool = await find(id, principal, background)
      if (!tool) return (await findChange(id, principal, background)) ?? explainNotFound(id, principal, background)
      const readiness = await checkReadiness(tool, { principal, userId, requestUrl: () => c.req.raw.url })
      return ok({ ...readiness, ...getAppearance(tool.listed), tool: tool.listed.id })
    })
  }

  /** Finds why a tool in the caller's view has changed since. Anonymous callers must not learn that it exists. */
  async function findChange(ref: string, principal: Principal, background: WaitUntil) {
    const toolRef = parseToolRef(ref)
    const own = toOwnRef(principal.view, toolRef)
    if (own.kind !== 'id' || principal.kind === 'anonymous' || !covers(principal, own, 'tools:read')) return undefined
    const resolution = await deps.resolver.resolve(toolRef, principal.view, background)
    return resolution.ok || resolution.failure.type !== 'tool-changed' ? undefined : resolution
  }

  on('GET /tools/:id/versions', 'List the versions of a tool and their changes', {
    ...READER_ROUTE,
    responses: { 200: itemList('The versions, highest first', 'VersionHistory') },
  })(async ({ c, principal, path: { id } }) => {
    const active = await find(id, principal, getBackground(c))
    const tool = active ?? (await findYanked(id, principal, getBackground(c)))
    const current = tool && (await source.loadCurrent(tool.record))
    const visible = current && (await withoutHiddenVersions(principal, current, deps.toolkits))
    const isInView = ({ version }: VersionEntry) => !principal.view || version === tool?.record.version
    const document = visible && { ...visible, versions: visible.versions.filter(isInView) }
    if (!document) return toolNotFound(id)
    const { loadHistory } = await import('../../core/publish/history.ts')
    const history = await loadHistory(document, source, (record) => maySee(principal, record, 'tools:read'))
    const isAdmin = isAdministrator(principal)
    const items = history.map((version) => wire.encodeHistory(document, version, isAdmin))
    return { ...ok({ items }), headers: PRIVATE }
  })

  on('PATCH /tools/:id', 'Update the status of a version', {
    ...PUBLISHER_ROUTE,
    auditAction: 'tool.change',
    body: jsonBody(wire.VERSION_CHANGE_BODY),
    responses: { 200: jsonRef('The updated version', 'Version') },
  })(async ({ c, principal, path: { id: ref }, body, addAuditDetails }) => {
    const id = parseToolId(ref)
    if (!id) return toolNotFound(ref)
    addAuditDetails({ ...body })
    const unknownSuccessor = await findUnknownSuccessor(body.status, (id) => find(id, principal, getBackground(c)))
    if (unknownSuccessor) return fail({ type: 'request-malformed', message: unknownSuccessor })
    // A new version may have been published since the administrator looked
    if (body.trusted !== undefined && !isVersion(id.range ?? '')) {
      const message = `To trust '${ref.slice(0, 200)}', name its version: PATCH /tools/Toolkit.Tool@1.2.3`
      return fail({ type: 'request-malformed', message })
    }
    const { entry: current } = await source.loadCurrentOrSuggest(id)
    if (!current || !covers(principal, current, 'tools:publish')) return toolNotFound(ref)
    const visible = await withoutHiddenVersions(principal, current, deps.toolkits)
    const highestDisabled = id.range === undefined && visible ? findHighest(visible.versions, 'disabled') : undefined
    const version = (resolveVersion(current.versions, id.range) ?? highestDisabled)?.version
    if (version === undefined) {
      if (id.range !== undefined || !visible) return toolNotFound(ref)
      const versions = visible.versions.slice(-MAX_VERSIONS).map((entry) => `${entry.version} (${entry.status.state})`)
      const message = `Say which version of '${ref}' to change: there is ${versions.join(', ')}`
      return fail({ type: 'request-malformed', message })
    }
    const ownSuccessor = findOwnSuccessor(body.status, current, version)
    if (ownSuccessor) return fail({ type: 'request-malformed', message: ownSuccessor })
    const { toolkit, tool } = current
    const change = await writer.change({ toolkit, tool }, version, body, principal)
    if (!change.ok) return change.failure.type === 'unknown' ? toolNotFound(ref) : fail(change.failure)
    const entry = change.document.versions.find((candidate) => candidate.version === version)
    if (!entry) return toolNotFound(ref)
    const encoded = wire.encodeVersion(change.document, entry, isAdministrator(principal))
    if (body.status?.state !== 'active' || entry.status.state === 'active') return ok(encoded)
    const before = current.versions.find((candidate) => candidate.version === version)?.status
    const isYankedAgain = entry.status.state === 'yanked' && before?.state === 'disabled'
    const message = isYankedAgain
      ? 'It is yanked, as it was before it was disabled'
      : `The status of its toolkit holds: change it with PATCH /toolkits/${toolkit} {"status": "active"}`
    return ok({ ...encoded, message })
  })

  on('POST /convert', 'Convert a definition to another format', {
    ...READER_ROUTE,
    query: defineQuery({
      ...wire.PUBLICATION_PARAMS,
      to: requireValue(format, [...formats.keys()]),
      from: optional(string({ max: 100 })),
    }),
    body: jsonBody(DEFINITION_BODY, { limit: CONVERT_LIMIT }),
    responses: {
      200: json(
        'The converted definition, and what it cannot express',
        objectSchema({ document: ANY, losses: arraySchema(OBJECT) }),
      ),
    },
  })(async ({ query: { to, from, ...decodeOptions }, body }) => {
    const { document, wrapper: ownWrapper, problems } = unwrapBody(body)
    if (problems.length > 0) return fail({ type: 'definition-invalid', problems })
    const wrapper = { ...ownWrapper, decodeOptions: { ...decodeOptions, ...ownWrapper.decodeOptions } }
    const result = await convert(document, { from, to: getFormat(to), wrapper }, codecs, sha256)
    return result.ok ? ok(result.value) : fail({ type: 'definition-invalid', problems: result.problems })
  })

  /** Lists the versions of a tool that the caller may see, or suggests similar names for an unknown tool. */
  async function explainNotFound(ref: string, principal: Principal, background: WaitUntil): Promise<FailureResult> {
    const toolRef = parseToolRef(ref)
    const resolution = await deps.resolver.resolve(toolRef, principal.view, background)
    const withSuggestions = async () => toolNotFound(ref, await deps.catalog.suggestNames(ref, principal))
    if (resolution.ok || resolution.failure.type !== 'version-unavailable') return withSuggestions()
    const { tool } = resolution.failure
    const visibleTool = (await find(tool, principal, background)) ?? (await findYanked(tool, principal, background))
    if (!visibleTool) return withSuggestions()
    const { failure } = await hideFromViewer(toolRef, resolution, { principal, background }, deps.resolver)
    if (failure.type !== 'version-unavailable') return toolNotFound(ref)
    return fail({ type: 'not-found', message: formatSentence(describeFailure(failure)) })
  }

  /** If all versions are yanked, they can be found only by their exact ids. */
  async function findYanked(ref: string, principal: Principal, background: WaitUntil) {
    const id = parseToolId(ref)
    const current = id && id.range === undefined ? await source.loadCurrent(id) : undefined
    const yanked = current && findHighest(current.versions, 'yanked')
    return yanked && find(formatToolId(current, yanked.version), principal, background)
  }

  function getFormat(name: string): ExportFormat {
    const format = formats.get(name)
    if (!format) throw new Error(`No format '${name}'`)
    return format
  }

  return router
}

function requireValue(reader: Reader<string>, names: readonly string[]): Reader<string> {
  return (value, report) =>
    value === undefined ? addProblem(report, `Is required: one of ${quoteList(names)}`) : reader(value, report)
}

function toolNotFound(ref: string, suggestions: readonly string[] = []): FailureResult {
  return fail({ type: 'not-found', message: `Tool '${ref.slice(0, 200)}' was not found${didYouMean(suggestions)}` })
}
