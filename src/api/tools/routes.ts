import type { Hono } from 'hono'
import { covers, mayActFor, maySee, type Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { hideSuggestions, userOf } from '../../core/call/authorise.ts'
import type { Catalogue } from '../../core/catalogue/catalogue.ts'
import type { TellReadiness } from '../../core/call/readiness.ts'
import { fail, type Failing, ok } from '../../core/failure/failure.ts'
import { sentence, wordsOf } from '../../core/failure/failure-words.ts'
import { convert } from '../../core/publish/convert.ts'
import type { Format } from '../../core/publish/export.ts'
import { type Publish, publishedOf } from '../../core/publish/publish.ts'
import type { RegistryWriter } from '../../core/publish/registry.ts'
import { type Beside, CONVERTED, PUBLICATION, readWrapper } from '../../core/publish/wrapper.ts'
import type { Codec, Given } from '../../core/tool/codec.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { isJsonObject, isList, type Json } from '../../core/tool/json.ts'
import { oneOf, optional, type Reader, string, wrong } from '../../core/tool/json-reader.ts'
import { MANY_PARTS } from '../../core/tool/json-text.ts'
import type { Background } from '../../core/tool/platform.ts'
import { didYouMean, type Problem, quoted } from '../../core/tool/problem.ts'
import { askedByIdOrName, formatToolId, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import { highest, resolveVersion } from '../../core/tool/version.ts'
import { noteHeader, notModified, PRIVATE } from '../../http/answer/json-response.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { query, type ReadOf } from '../../http/request/query.ts'
import { ANY, component, items, json, listOf } from '../../http/route/answers.ts'
import { OBJECT, objectOf, ref, UNCALLABLE, UNCHANGED } from '../../http/route/answers.ts'
import { backgroundOf } from '../../http/route/gate.ts'
import { createFace, type Note, PUBLISHER, READER, type RouteAnswer, type RouteDeps } from '../../http/route/route.ts'
import { createFindTool, type FindToolDeps, knownTo } from './find-tool.ts'
import * as wire from './wire.ts'

export interface RegistryFaceDeps extends RouteDeps, FindToolDeps {
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'change'>
  readonly source: Pick<ToolSource, 'current' | 'currentOrNearest' | 'record' | 'whole'>
  readonly catalogue: Pick<Catalogue, 'list' | 'near'>
  readonly codecs: readonly Codec[]
  readonly sha256: Sha256
  readonly tellReadiness: TellReadiness
  readonly formats: ReadonlyMap<string, Format>
}

const loadShared = () => import('../../core/publish/shared-documents.ts')
const PUBLISH_LIMIT = 16 * 1024 * 1024
const CONVERT_LIMIT = 1024 * 1024
const MAX_VERSIONS = 20
const EXACT = 'PATCH /tools/Toolkit.Tool@1.2.3'

interface Publishing {
  readonly principal: Principal
  readonly query: ReadOf<typeof wire.publicationQuery>
  readonly body: Json
  readonly note: Note
}
type Answered = RouteAnswer<unknown> | Failing

export function registryFace(deps: RegistryFaceDeps): Hono {
  const { publish, writer, source, codecs, sha256, formats, tellReadiness } = deps
  const find = createFindTool(deps, 'tools:read')
  const { face, on } = createFace<wire.ToolAnswers>(deps, 'open')
  const format = oneOf([...formats.keys()])

  const publishing = {
    ...PUBLISHER,
    act: 'tools.publish',
    query: wire.publicationQuery,
    body: jsonBody(PUBLICATION, { limit: PUBLISH_LIMIT, parts: MANY_PARTS }),
    answers: {
      200: {
        ...json('Already published; or, for a batch, one result for each definition', {
          anyOf: [ref('Published'), ref('Results')],
        }),
        note: UNCALLABLE,
      },
      201: { ...component('Published', 'Published'), note: UNCALLABLE },
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
    const isBatch = isList(body)
    const documents = isList(body) ? body : [body]
    const reports = await publish(
      documents.map((document) => ({ body: document, dialect, given })),
      { principal, allowBreaking: allow !== undefined },
    )
    note(publishedOf(reports))
    const beside = wire.publicationNote(reports)
    const noted = beside === undefined ? {} : { headers: noteHeader(beside) }
    if (isBatch) {
      const results = reports.map((report, index) => wire.encodeResult(report, wire.askedId(documents[index])))
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
    const found = await find(id, principal, backgroundOf(c))
    if (!found) return whyNotFound(id, principal, backgroundOf(c))
    if (neighbours) {
      const { neighboursOf } = await import('./neighbours.ts')
      const items = await neighboursOf(found.record, deps.catalogue, principal)
      return { ...ok({ items }), headers: { ...PRIVATE, 'cache-control': 'no-store' } }
    }
    const whole = await source.whole(found.record)
    const sees = async (other: string) => (await find(other, principal, backgroundOf(c))) !== undefined
    // Only the tool's own dialect has the whole document
    const isDocument = formatName === whole.source.dialect && !isAdministrator(principal)
    const seen = isDocument ? await (await loadShared()).asSeen(whole, codecs, sees) : whole
    const written = encode(seen, found.record.name)
    if (!written.ok) return fail({ type: 'definition-invalid', problems: written.problems })
    const { document, losses } = written.value
    const { digest: own, toolkitDescription = '' } = found.record
    const ofToolkit = formatName && toolkitDescription ? `.${await sha256(toolkitDescription)}` : ''
    const digest = own + ofToolkit + (seen === whole ? '' : '.alone')
    // The digest does not cover policies
    const { revision } = deps.policies.now()
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
    answers: { 200: component('Readiness, with any problems', 'Readiness') },
  })(async ({ c, principal, path: { id }, query: { user_id } }) => {
    const userId = userOf(principal, user_id)
    if (userId !== undefined && !mayActFor(principal, userId))
      return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
    const found = await find(id, principal, backgroundOf(c))
    if (!found) return whyNotFound(id, principal, backgroundOf(c))
    const readiness = await tellReadiness(found, { principal, userId, reachedAt: () => c.req.raw.url })
    return { ...ok(readiness), headers: { ...PRIVATE, 'cache-control': 'no-store' } }
  })

  on('GET /tools/:id/versions', 'List the versions of a tool and their changes', {
    ...READER,
    answers: { 200: items('The versions, highest first', 'VersionHistory') },
  })(async ({ c, principal, path: { id } }) => {
    const seen = await find(id, principal, backgroundOf(c))
    const found = seen ?? (await findYanked(id, principal, backgroundOf(c)))
    const current = found && (await source.current(found.record))
    const document = current && (await knownTo(principal, current, deps.toolkits))
    if (!document) return unknown(id)
    const { historyOf } = await import('../../core/publish/history.ts')
    const history = await historyOf(document, source, (record) => maySee(principal, record, 'tools:read'))
    return { ...ok({ items: history.map((each) => wire.encodeHistory(document, each)) }), headers: PRIVATE }
  })

  on('PATCH /tools/:id', 'Update the status of a version', {
    ...PUBLISHER,
    act: 'tool.change',
    body: jsonBody(wire.CHANGE),
    answers: { 200: component('The updated version', 'Version') },
  })(async ({ c, principal, path: { id: asked }, body, note }) => {
    const id = parseToolId(asked)
    if (!id) return unknown(asked)
    note({ ...body })
    const successor = body.status?.state === 'deprecated' ? body.status.successor : undefined
    if (successor !== undefined && !(await find(successor, principal, backgroundOf(c))))
      return fail({ type: 'request-malformed', message: `The successor '${successor}' was not found` })
    // Another version may have come since an administrator looked
    if (body.trusted !== undefined && !isVersion(id.selector ?? '')) {
      const message = `To trust '${asked.slice(0, 200)}', name its version: ${EXACT}`
      return fail({ type: 'request-malformed', message })
    }
    const found = await source.currentOrNearest(id)
    const document = 'versions' in found && covers(principal, found, 'tools:publish') ? found : undefined
    const known = document && (await knownTo(principal, document, deps.toolkits))
    const isNamed = id.selector !== undefined
    const held = document && resolveVersion(document.versions, id.selector)
    const version = (held ?? (isNamed || !known ? undefined : highest(known.versions, 'disabled')))?.version
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
    query: query({ ...wire.GIVEN, to: requiredOf(format, [...formats.keys()]), from: optional(string({ most: 100 })) }),
    body: jsonBody(CONVERTED, { limit: CONVERT_LIMIT }),
    answers: {
      200: json(
        'The converted definition, and what it cannot express',
        objectOf({ document: ANY, losses: listOf(OBJECT) }),
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
  async function whyNotFound(asked: string, principal: Principal, background: Background): Promise<Failing> {
    const resolved = await deps.resolver.resolve(askedByIdOrName(asked), background)
    const near = async () => unknown(asked, await deps.catalogue.near(asked, principal))
    if (resolved.ok || resolved.failure.type !== 'version-unavailable') return near()
    if (!(await find(resolved.failure.tool, principal, background))) return near()
    const { failure } = await hideSuggestions(asked, resolved, { principal, background }, deps.resolver)
    if (failure.type !== 'version-unavailable') return unknown(asked)
    return fail({ type: 'not-found', message: sentence(wordsOf(failure)) })
  }

  /** Versions that are all yanked answer to their exact ids alone. */
  async function findYanked(asked: string, principal: Principal, background: Background) {
    const id = parseToolId(asked)
    const current = id && id.selector === undefined ? await source.current(id) : undefined
    const yanked = current && highest(current.versions, 'yanked')
    return yanked && find(formatToolId(current, yanked.version), principal, background)
  }

  function formatNamed(name: string): Format {
    const format = formats.get(name)
    if (!format) throw new Error(`No format '${name}'`)
    return format
  }

  return face
}

function unwrapped(
  body: Json,
  given: Given,
  problems: Problem[],
): { readonly document: Json; readonly beside: Beside } {
  if (!isJsonObject(body) || body.definition === undefined) return { document: body, beside: { given } }
  const beside = readWrapper(body, problems)
  return { document: body.definition, beside: { ...beside, given: { ...given, ...beside.given } } }
}

function requiredOf(reader: Reader<string>, words: readonly string[]): Reader<string> {
  return (value, report) =>
    value === undefined ? wrong(report, `Is required: one of ${quoted(words)}`) : reader(value, report)
}

function unknown(asked: string, near: readonly string[] = []): Failing {
  return fail({ type: 'not-found', message: `Tool '${asked.slice(0, 200)}' was not found${didYouMean(near)}` })
}
