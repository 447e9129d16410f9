import { type Context, Hono } from 'hono'
import { covers, mayActFor, maySee, type Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit.ts'
import { userOf } from '../../core/call/authorise.ts'
import { malformed } from '../../core/call/call-fields.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { encodeReadiness, type TellReadiness } from '../../core/call/readiness.ts'
import { convert } from '../../core/publish/convert.ts'
import type { Format } from '../../core/publish/export.ts'
import type { SharedDocuments } from '../../core/publish/shared-documents.ts'
import type { Publish } from '../../core/publish/publish.ts'
import type { RegistryWriter } from '../../core/publish/registry.ts'
import { CONVERTED, MAX_BATCH, PUBLICATION, readWrapper } from '../../core/publish/wrapper.ts'
import type { Codec, Given } from '../../core/tool/codec.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { isJsonObject, isList, type Json } from '../../core/tool/json.ts'
import { oneOf, optional, type Reader, string, wrong } from '../../core/tool/json-reader.ts'
import { quoted } from '../../core/tool/problem.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import { isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { readJson } from '../../http/request/body.ts'
import { jsonText, notModified, PRIVATE } from '../../http/answer/json-response.ts'
import { backgroundOf } from '../../http/route/gate.ts'
import { publishedOf } from '../../core/publish/published.ts'
import { NO_QUERY, query, type ReadOf } from '../../http/request/query.ts'
import { noteHeader } from '../../http/answer/note.ts'
import { createRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import { createFindTool, type FindToolDeps, knownTo } from './find-tool.ts'
import {
  askedId,
  CHANGE,
  decodeChange,
  encodeHistory,
  encodePublished,
  encodeResult,
  encodeVersion,
  guardHeaders,
  losses,
  publicationNote,
  publicationQuery,
  publisherHeaders,
  readinessQuery,
  statusHeaders,
} from './wire.ts'

export interface RegistryFaceDeps extends RouteDeps, FindToolDeps {
  readonly publish: Publish
  readonly writer: Pick<RegistryWriter, 'change'>
  readonly source: Pick<ToolSource, 'current' | 'currentOrNearest' | 'record' | 'whole'>
  /** The dialects a definition can be converted from. */
  readonly codecs: readonly Codec[]
  readonly sha256: Sha256
  readonly tellReadiness: TellReadiness
  /** The formats a definition can be read in, by name. */
  readonly formats: ReadonlyMap<string, Format>
}

/** The largest body of a publication, in bytes, and the most documents of a batch. */
const PUBLISH_LIMIT = 16 * 1024 * 1024
const STATUS_LIMIT = 64 * 1024
const CONVERT_LIMIT = 1024 * 1024
const EXACT = 'PATCH /tools/Toolkit.Tool@1.2.3'

/**
 * The registry's own routes: `POST /tools`, `GET` and `PATCH /tools/{id}`, `GET /tools/{id}/readiness` and `/versions`, and
 * `POST /convert`.
 */
export function registryFace(deps: RegistryFaceDeps): Hono {
  const { publish, writer, source, codecs, sha256, formats, tellReadiness } = deps
  const find = createFindTool(deps)
  const route = createRoute(deps)
  const format = oneOf([...formats.keys()])
  const shownIn = query({ format: optional(format), losses })
  const conversion = query({ to: requiredOf(format, [...formats.keys()]), from: optional(string({ most: 100 })) })
  const face = new Hono()

  face.post(
    '/tools',
    route({ scope: 'tools:publish', act: 'tools.publish', query: publicationQuery, body: PUBLICATION }, publishAll),
  )
  face.get('/tools/:id', route({ scope: 'tools:read', query: shownIn }, show))
  face.get('/tools/:id/readiness', route({ scope: 'tools:read', query: readinessQuery }, readiness))
  face.get('/tools/:id/versions', route({ scope: 'tools:read', query: NO_QUERY }, versions))
  face.patch('/tools/:id', route({ scope: 'tools:publish', act: 'tool.change', query: NO_QUERY, body: CHANGE }, change))
  face.post('/convert', route({ scope: 'tools:read', query: conversion, body: CONVERTED }, converted))

  async function publishAll(
    c: Context,
    principal: Principal,
    note: Note,
    { allow, dialect }: ReadOf<typeof publicationQuery>,
  ): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, PUBLISH_LIMIT)
    if (!body.ok) return body
    const isBatch = isList(body.value)
    const documents = isList(body.value) ? body.value : [body.value]
    if (documents.length > MAX_BATCH) {
      const message = `A batch holds at most ${MAX_BATCH} definitions, got ${documents.length}`
      return fail({ type: 'request-malformed', message })
    }
    const reports = await publish(
      documents.map((document) => ({ body: document, dialect })),
      { principal, allowBreaking: allow !== undefined },
    )
    note(publishedOf(reports))
    const beside = publicationNote(reports)
    const headers = beside === undefined ? undefined : noteHeader(beside)
    if (isBatch) {
      const results = reports.map((report, index) => encodeResult(report, askedId(documents[index])))
      return jsonText(JSON.stringify({ results }), 200, headers)
    }
    const [report] = reports
    if (!report) throw new Error('A publication came to nothing')
    if (!report.ok) return report
    const status = report.outcome === 'created' ? 201 : 200
    return jsonText(JSON.stringify(encodePublished(report)), status, headers)
  }

  async function show(
    c: Context,
    principal: Principal,
    _: Note,
    { format: formatName, losses: withLosses }: ReadOf<typeof shownIn>,
  ): Promise<Response | Failing> {
    const asked = c.req.param('id') ?? ''
    const encode = formatNamed(formatName ?? 'oxp')
    const found = await find(asked, principal, backgroundOf(c))
    if (!found || !maySee(principal, found.record)) return unknown(asked)
    const whole = await source.whole(found.record)
    const sees = async (id: string) => {
      const other = await find(id, principal, backgroundOf(c))
      return other !== undefined && maySee(principal, other.record)
    }
    // A document is a part of what is written in its own dialect alone
    const isDocument = formatName === whole.source.dialect && !isAdministrator(principal)
    const seen = isDocument ? await (await sharedDocuments()).asSeen(whole, sees) : whole
    const written = encode(seen, found.record.name)
    // Published by an earlier version of Switchboard, which did not judge it
    if (!written.ok) return fail({ type: 'definition-invalid', problems: written.problems })
    const { document, losses } = written.value
    const digest = found.record.digest + (seen === whole ? '' : '.alone')
    // What policies make of it is in no digest
    const { revision } = deps.policies.now()
    const named = formatName || withLosses ? `${digest}.${formatName}.${withLosses}` : digest
    const etag = revision > 0 && formatName ? `"${named}.${revision}"` : `"${named}"`
    const about = isAdministrator(principal) ? publisherHeaders(found.publisher) : {}
    const headers = { ...PRIVATE, ...statusHeaders(found.status), ...guardHeaders(found.record), ...about, etag }
    const text = () => JSON.stringify(withLosses ? { document, losses } : document)
    return notModified(c.req.raw, headers) ?? jsonText(text(), 200, headers)
  }

  /** Whether the caller could call the tool now for a user, and what is in the way. To look has no effect. */
  async function readiness(
    c: Context,
    principal: Principal,
    _: Note,
    { user_id }: ReadOf<typeof readinessQuery>,
  ): Promise<Response | Failing> {
    const userId = userOf(principal, user_id)
    if (userId !== undefined && !mayActFor(principal, userId)) {
      return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
    }
    const asked = c.req.param('id') ?? ''
    const found = await find(asked, principal, backgroundOf(c))
    if (!found || !maySee(principal, found.record)) return unknown(asked)
    const told = await tellReadiness(found, { principal, userId, reachedAt: () => c.req.raw.url })
    return jsonText(JSON.stringify(encodeReadiness(told)), 200, { ...PRIVATE, 'cache-control': 'no-store' })
  }

  /** All versions of the tool that an id, of whichever version, or a name stands for, and what each changed. */
  async function versions(c: Context, principal: Principal): Promise<Response | Failing> {
    const asked = c.req.param('id') ?? ''
    const found = await find(asked, principal, backgroundOf(c))
    const current = found && maySee(principal, found.record) ? await source.current(found.record) : undefined
    const document = current && (await knownTo(principal, current, deps.toolkits))
    if (!document) return unknown(asked)
    const { historyOf } = await import('../../core/publish/history.ts')
    const history = await historyOf(document, source, (record) => maySee(principal, record))
    return jsonText(JSON.stringify({ items: history.map((each) => encodeHistory(document, each)) }), 200, PRIVATE)
  }

  async function change(c: Context, principal: Principal, note: Note): Promise<Response | Failing> {
    const asked = c.req.param('id') ?? ''
    const id = parseToolId(asked)
    if (!id) return unknown(asked)
    const body = await readJson(c.req.raw, STATUS_LIMIT)
    if (!body.ok) return body
    const change = decodeChange(body.value)
    if (!change.ok) return malformed(change.problems)
    note({ ...change.value })
    // Another version may have come since an administrator looked
    if (change.value.trusted !== undefined && !isVersion(id.selector ?? '')) {
      return fail({
        type: 'request-malformed',
        message: `To trust '${asked.slice(0, 200)}', name its version: ${EXACT}`,
      })
    }
    const found = await source.currentOrNearest(id)
    const document = 'versions' in found && covers(principal, found) ? found : undefined
    const version = document && resolveVersion(document.versions, id.selector)?.version
    if (!document || version === undefined) return unknown(asked)
    const { toolkit, tool } = document
    const changed = await writer.change({ toolkit, tool }, version, change.value, principal)
    if (!changed) return unknown(asked)
    if (!changed.ok) {
      const { reason } = changed
      return fail(changed.isConflict ? { type: 'conflict', message: reason } : { type: 'forbidden', reason })
    }
    const entry = changed.document.versions.find((each) => each.version === version)
    if (!entry) return unknown(asked)
    return jsonText(JSON.stringify(encodeVersion(changed.document, entry, isAdministrator(principal))))
  }

  async function converted(
    c: Context,
    _: Principal,
    __: Note,
    { to, from }: ReadOf<typeof conversion>,
  ): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, CONVERT_LIMIT)
    if (!body.ok) return body
    const { document, given } = unwrapped(body.value)
    const result = await convert(document, { from, to: formatNamed(to), given }, codecs, sha256)
    if (!result.ok) return fail({ type: 'definition-invalid', problems: result.problems })
    return jsonText(JSON.stringify(result.value))
  }

  async function sharedDocuments(): Promise<SharedDocuments> {
    return (await import('../../core/publish/shared-documents.ts')).createSharedDocuments(codecs)
  }

  function formatNamed(name: string): Format {
    const format = formats.get(name)
    if (!format) throw new Error(`No format '${name}'`)
    return format
  }

  return face
}

/** A document to convert, bare or with its toolkit and version beside it; what else stands there does not matter. */
function unwrapped(body: Json): { readonly document: Json; readonly given: Given } {
  if (!isJsonObject(body) || body.definition === undefined) return { document: body, given: {} }
  return { document: body.definition, given: readWrapper(body, []).given }
}

/** Reads what has to be said, and tells who does not say it what there is. */
function requiredOf(reader: Reader<string>, words: readonly string[]): Reader<string> {
  return (value, report) =>
    value === undefined ? wrong(report, `Is required: one of ${quoted(words)}`) : reader(value, report)
}

function unknown(asked: string): Failing {
  return fail({ type: 'not-found', message: `Tool '${asked.slice(0, 200)}' was not found` })
}
