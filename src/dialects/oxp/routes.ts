import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { Format } from '../../core/publish/convert.ts'
import type { CallTool } from '../../core/call/call.ts'
import { type Failure, fail } from '../../core/call/failure.ts'
import type { Catalogue, LineFormat } from '../../core/access/catalogue.ts'
import type { Background } from '../../core/tool/platform.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { failureHeaders, holds, jsonText, PRIVATE } from '../../http/json-response.ts'
import { STATUS } from './failure.ts'
import { decodeListQuery, wrong } from './list-query.ts'
import { decodeCall, encodeFailure, encodeOutcome, type Form, SCHEMA, VERSION } from './wire.ts'
import { isTraceparent } from '../../http/traceparent.ts'

export interface OxpFaceDeps {
  readonly gate: Gate
  readonly callTool: CallTool
  readonly catalogue: Catalogue
  /** Names a representation by its text, for entity tags. */
  readonly sha256: (text: string) => Promise<string>
  /** The definitions' formats by name, for `?format=`; `oxp` is the stored one. */
  readonly formats: ReadonlyMap<string, Format>
}

/** The largest body of a call, in bytes. */
export const CALL_LIMIT = 4 * 1024 * 1024

/**
 * The OXP 1.0 face: `/tools` with definitions as the specification writes them, and the same under `/oxp` with flat
 * `input_schema`, as the published OpenAPI document and its client libraries have it. A request with the header
 * `OXP-Version` gets bare bodies, and the header back.
 */
export function oxpFace(deps: OxpFaceDeps): Hono {
  const { gate, callTool, catalogue, formats, sha256 } = deps
  const face = new Hono()

  const health = () => jsonText('{"status":"ok"}')
  face.get('/health', health)
  face.get('/oxp/health', health)
  face.get('/tools', (c) => list(c, c.req.query('format') ?? 'oxp'))
  face.get('/oxp/tools', (c) => list(c, 'oxp-flat'))
  face.post('/tools/call', call)
  face.post('/oxp/tools/call', call)

  async function call(c: Context): Promise<Response> {
    const request = c.req.raw
    const asked = request.headers.get('oxp-version')
    const form: Form = asked === null ? 'enveloped' : 'bare'
    const background: Background = (work) => c.executionCtx.waitUntil(work)
    const admitted = gate(request, 'tools:call', background)
    const caller = admitted instanceof Promise ? await admitted : admitted
    if (!caller.ok) return respond(caller.failure, form)
    if (asked !== null && !isSupported(asked)) return respond(unsupported(asked), form)
    const body = await readJson(request, CALL_LIMIT)
    if (!body.ok) return respond(body.failure, form)
    const decoded = decodeCall(body.value)
    if ('ok' in decoded) return respond(decoded.failure, form)
    const traceparent = request.headers.get('traceparent')
    const outcome = await callTool(decoded, {
      principal: caller.value,
      background,
      signal: () => request.signal,
      reachedAt: () => request.url,
      ...(traceparent === null || !isTraceparent(traceparent) ? {} : { traceparent }),
    })
    const { result } = outcome
    const text = JSON.stringify(encodeOutcome(outcome, form))
    // No cache keeps the answer to a POST, so a success needs no header that forbids it (RFC 9111, section 3)
    if (result.ok) return form === 'bare' ? jsonText(text, 200, versioned(form, {})) : jsonText(text)
    const headers = { ...PRIVATE, ...failureHeaders(result.failure) }
    return jsonText(text, STATUS[result.failure.type], versioned(form, headers))
  }

  async function list(c: Context, formatName: string): Promise<Response> {
    const request = c.req.raw
    const asked = request.headers.get('oxp-version')
    const form: Form = asked === null ? 'enveloped' : 'bare'
    const caller = await gate(request, 'tools:read', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return respond(caller.failure, form)
    if (asked !== null && !isSupported(asked)) return respond(unsupported(asked), form)
    const withLosses = c.req.query('losses') === '1'
    const format = lineFormat(formatName, withLosses)
    if (!format) return respond(wrong('format', `one of ${[...formats.keys()].join(', ')}`).failure, form)
    const query = decodeListQuery(new URL(request.url).searchParams)
    if (query.ok === false) return respond(query.failure, form)

    // A search, and older versions, change without the pages of the catalogue
    const ofPages = query.q === undefined && query.versions === 'newest'
    const state = ofPages
      ? await etagOf(await catalogue.etag(), caller.value, JSON.stringify(query), format.name, form)
      : ''
    if (ofPages && holds(request, state)) return unchanged(state, form)
    const listing = await catalogue.list(query, caller.value, format)
    if (!listing) return respond(wrong('cursor', "a 'next_cursor' that a list gave").failure, form)
    const next = listing.nextCursor === undefined ? '' : `,"next_cursor":${JSON.stringify(listing.nextCursor)}`
    const schema = form === 'bare' || !formatName.startsWith('oxp') ? '' : `"$schema":"${SCHEMA}",`
    const items = withLosses ? apart(listing.lines) : `"items":[${listing.lines.join(',')}]`
    const text = `{${schema}${items}${next}}`
    const etag = ofPages ? state : `"${(await sha256(text)).slice(0, 32)}"`
    if (holds(request, etag)) return unchanged(etag, form)
    return jsonText(text, 200, versioned(form, { ...PRIVATE, etag }))
  }

  function lineFormat(name: string, withLosses: boolean): LineFormat | undefined {
    if (name === 'oxp' && !withLosses) return { name: 'stored' }
    const encode = formats.get(name)
    if (!encode) return undefined
    if (!withLosses) return { name, write: (record, exposed) => JSON.stringify(encode(record, exposed).document) }
    return {
      name: `${name} with losses`,
      write(record, exposed) {
        const { document, losses } = encode(record, exposed)
        return JSON.stringify({ document, losses: losses.map((loss) => ({ id: record.id, ...loss })) })
      },
    }
  }

  async function etagOf(catalogueTag: string, principal: Principal, ...more: readonly string[]): Promise<string> {
    const { id, kind, tools } = principal
    return `"${(await sha256([catalogueTag, id, kind, tools.join(), ...more].join('\n'))).slice(0, 32)}"`
  }

  return face
}

/** Definitions and what was lost in writing each, as two lists. */
function apart(lines: readonly string[]): string {
  const written = lines.map((line): { document: unknown; losses: readonly unknown[] } => JSON.parse(line))
  const items = JSON.stringify(written.map(({ document }) => document))
  return `"items":${items},"losses":${JSON.stringify(written.flatMap(({ losses }) => losses))}`
}

/** A failure in this face's shape. */
export function respond(failure: Failure, form: Form = 'enveloped'): Response {
  const body = JSON.stringify(encodeFailure(failure, form))
  return jsonText(body, STATUS[failure.type], versioned(form, { ...PRIVATE, ...failureHeaders(failure) }))
}

function unchanged(etag: string, form: Form): Response {
  return new Response(null, { status: 304, headers: { ...versioned(form, PRIVATE), etag } })
}

function versioned(form: Form, headers: Record<string, string>): Record<string, string> {
  return form === 'bare' ? { ...headers, 'oxp-version': VERSION } : headers
}

/** `1`, `1.0` and `1.0.x` are all 1.0. */
function isSupported(version: string): boolean {
  return /^1(?:\.0(?:\.\d{1,9})?)?$/.test(version)
}

function unsupported(asked: string): Failure {
  return fail({ type: 'protocol-version-unsupported', asked: asked.slice(0, 100), supported: VERSION }).failure
}
