import { type Context, Hono } from 'hono'
import { covers, maySee, type Principal } from '../../core/access/principal.ts'
import { convert, type Format } from '../../core/publish/convert.ts'
import type { Failure } from '../../core/call/failure.ts'
import type { Given } from '../../core/tool/codec.ts'
import { isObject, type Json } from '../../core/tool/json.ts'
import { publicationDenial } from '../../core/publish/publication-denial.ts'
import { preparePublication, type PublishDeps, type PublishOptions } from '../../core/publish/publish.ts'
import type { Publication, RegistryWriter } from '../../core/publish/registry.ts'
import type { ToolSource } from '../../core/tool/tool-source.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { ToolSecrets } from '../../core/access/tool-secrets.ts'
import { isNamePart, isVersion, parseToolId } from '../../core/tool/tool-id.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { holds, jsonText, PRIVATE } from '../../http/json-response.ts'
import {
  type Answer,
  answerOf,
  askedId,
  decodeStatus,
  encodeAnswer,
  encodeResult,
  encodeStatus,
  statusHeaders,
} from './wire.ts'

export interface RegistryFaceDeps {
  readonly gate: Gate
  readonly publishing: PublishDeps
  readonly writer: RegistryWriter
  readonly source: ToolSource
  readonly resolver: Resolver
  readonly toolSecrets: ToolSecrets
  /** The formats a definition can be read in, by name. */
  readonly formats: ReadonlyMap<string, Format>
  /** Words a failure; the face has no table of its own. */
  readonly respond: (failure: Failure) => Response
}

/** The largest body of a publication, in bytes, and the most documents of a batch. */
const PUBLISH_LIMIT = 16 * 1024 * 1024
const STATUS_LIMIT = 64 * 1024
const CONVERT_LIMIT = 1024 * 1024
const MAX_BATCH = 1_000

/** The registry's own routes: `POST /tools`, `GET` and `PATCH /tools/{id}`, and `POST /convert`, which needs no key. */
export function registryFace(deps: RegistryFaceDeps): Hono {
  const { gate, publishing, writer, source, resolver, toolSecrets, formats, respond } = deps
  const face = new Hono()

  face.post('/tools', async (c) => {
    const caller = await gate(c.req.raw, 'tools:publish', backgroundOf(c))
    if (!caller.ok) return respond(caller.failure)
    const options = publishOptions(c.req.query('dialect'), c.req.query('allow'))
    if ('type' in options) return respond(options)
    const body = await readJson(c.req.raw, PUBLISH_LIMIT)
    if (!body.ok) return respond(body.failure)
    if (!Array.isArray(body.value)) {
      const [answer] = await publish([body.value], options, caller.value)
      if (!answer) throw new Error('A publication came to nothing')
      return answer.failure ? respond(answer.failure) : jsonText(JSON.stringify(encodeAnswer(answer)), answer.status)
    }
    const documents: unknown[] = body.value
    if (documents.length > MAX_BATCH) {
      const message = `A batch holds at most ${MAX_BATCH} definitions, got ${documents.length}`
      return respond({ type: 'request-malformed', message })
    }
    const answers = await publish(documents, options, caller.value)
    const results = answers.map((answer, index) => encodeResult(answer, askedId(documents[index])))
    return jsonText(JSON.stringify({ results }))
  })

  face.get('/tools/:id', async (c) => {
    const caller = await gate(c.req.raw, 'tools:read', backgroundOf(c))
    if (!caller.ok) return respond(caller.failure)
    const asked = c.req.param('id')
    const formatName = c.req.query('format')
    const encode = formats.get(formatName ?? 'oxp')
    if (!encode) return respond(unknownFormat('format'))
    const found = await find(asked, backgroundOf(c))
    if (!found || !maySee(caller.value, found.record)) return respond(unknown(asked))
    const { document, losses } = encode(found.record, found.record.name)
    const withLosses = c.req.query('losses') === '1'
    const etag =
      formatName || withLosses ? `"${found.record.digest}.${formatName}.${withLosses}"` : `"${found.record.digest}"`
    const headers = { ...PRIVATE, ...statusHeaders(found.status), etag }
    if (holds(c.req.raw, etag)) return new Response(null, { status: 304, headers })
    return jsonText(JSON.stringify(withLosses ? { document, losses } : document), 200, headers)
  })

  face.patch('/tools/:id', async (c) => {
    const caller = await gate(c.req.raw, 'tools:publish', backgroundOf(c))
    if (!caller.ok) return respond(caller.failure)
    const asked = c.req.param('id')
    const id = parseToolId(asked)
    if (!id || !covers(caller.value, id)) return respond(unknown(asked))
    const body = await readJson(c.req.raw, STATUS_LIMIT)
    if (!body.ok) return respond(body.failure)
    const status = decodeStatus(body.value)
    if (typeof status === 'string') return respond({ type: 'request-malformed', message: status })
    const document = await source.current(id)
    const version = document && resolveVersion(document.versions, id.selector)?.version
    const changed = version === undefined ? undefined : await writer.setStatus(id, version, status)
    if (!changed || version === undefined) return respond(unknown(asked))
    return jsonText(JSON.stringify(encodeStatus(changed, version, status)))
  })

  face.post('/convert', async (c) => {
    const to = formats.get(c.req.query('to') ?? '')
    if (!to) return respond(unknownFormat('to'))
    const body = await readJson(c.req.raw, CONVERT_LIMIT)
    if (!body.ok) return respond(body.failure)
    const { document, given } = unwrapped(asJson(body.value))
    const options = { from: c.req.query('from'), to, given }
    const converted = await convert(document, options, publishing.codecs, publishing.sha256)
    if (!converted.ok) return respond({ type: 'definition-invalid', problems: converted.problems })
    return jsonText(JSON.stringify(converted.value))
  })

  function unknownFormat(parameter: string): Failure {
    const message = `The query parameter '${parameter}' must be one of ${[...formats.keys()].join(', ')}`
    return { type: 'request-malformed', message }
  }

  /** Judges documents each alone, and stores together what is in order. */
  async function publish(
    documents: readonly unknown[],
    options: PublishOptions,
    principal: Principal,
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    const accepted: {
      readonly at: number
      readonly publication: Publication
      readonly warnings: Answer['warnings']
    }[] = []
    for (const [at, document] of documents.entries()) {
      const prepared = await preparePublication(asJson(document), options, publishing)
      if (!prepared.ok) {
        answers[at] = { status: 422, ids: [], failure: { type: 'definition-invalid', problems: prepared.problems } }
        continue
      }
      const { publication, warnings } = prepared.value
      const reason = publication.records
        .map((record) => publicationDenial(principal, record, toolSecrets))
        .find((each) => each !== undefined)
      if (reason !== undefined) {
        const ids = publication.records.map(({ id }) => id)
        answers[at] = { status: 403, ids, failure: { type: 'forbidden', reason } }
      } else accepted.push({ at, publication, warnings })
    }
    const published = await writer.publish(accepted.map(({ publication }) => publication))
    for (const [index, { at, warnings = [] }] of accepted.entries()) {
      const outcome = published[index]
      if (outcome) answers[at] = answerOf(outcome, warnings)
    }
    return answers
  }

  /** The record an id stands for; also one that is disabled, which no call would reach. */
  async function find(asked: string, background: Background) {
    const resolved = await resolver.resolve(asked, background)
    if (resolved.ok) return { record: resolved.tool.record, status: resolved.status }
    if (resolved.failure.type !== 'tool-disabled') return undefined
    const id = parseToolId(resolved.failure.id)
    const entry = id && resolveVersion((await source.current(id))?.versions ?? [], id.selector)
    const record = entry && (await source.record(entry.digest))
    return record && { record, status: entry.status }
  }

  return face
}

function publishOptions(dialect: string | undefined, allow: string | undefined): PublishOptions | Failure {
  if (allow !== undefined && allow !== 'breaking') {
    return { type: 'request-malformed', message: "The query parameter 'allow' must be 'breaking'" }
  }
  return { dialect, allowBreaking: allow === 'breaking' }
}

/** A document to convert, bare or with its toolkit and version beside it. */
function unwrapped(body: Json): { readonly document: Json; readonly given: Given } {
  if (!isObject(body) || body.definition === undefined) return { document: body, given: {} }
  const { definition, toolkit, version } = body
  return {
    document: asJson(definition),
    given: {
      ...(typeof toolkit === 'string' && isNamePart(toolkit) ? { toolkit } : {}),
      ...(typeof version === 'string' && isVersion(version) ? { version } : {}),
    },
  }
}

function unknown(asked: string): Failure {
  return { type: 'not-found', message: `Tool '${asked.slice(0, 200)}' was not found` }
}

function backgroundOf(c: Context): Background {
  return (work) => c.executionCtx.waitUntil(work)
}

/** A value that a JSON parser gave is JSON; one of no JSON type is null, which no dialect recognises. */
function asJson(value: unknown): Json {
  return isJson(value) ? value : null
}

function isJson(value: unknown): value is Json {
  return (
    value === null || ['boolean', 'number', 'string'].includes(typeof value) || Array.isArray(value) || isObject(value)
  )
}
