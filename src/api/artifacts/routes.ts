import { type Context, Hono } from 'hono'
import { mayActFor, type Principal } from '../../core/access/principal.ts'
import type { ArtifactStore, StoredArtifact } from '../../core/call/artifact-store.ts'
import { userOf } from '../../core/call/authorise.ts'
import { type Failing, type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { UploadedFile, UploadOwner, UploadStore } from '../../core/call/upload-store.ts'
import type { RouteContext } from '../../http/route/gate.ts'
import { contextOf } from '../../http/route/incoming-call.ts'
import { jsonText, notModified } from '../../http/answer/json-response.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { reading } from '../../http/route/operation.ts'
import { NO_QUERY, type ReadOf } from '../../http/request/query.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import {
  encodeUpload,
  headersOf,
  linkQuery,
  readRange,
  readUpload,
  refusalOf,
  UNKNOWN_FILE,
  uploadQuery,
} from './wire.ts'

export interface ArtifactsFaceDeps extends RouteDeps {
  readonly artifacts: Pick<ArtifactStore, 'open'>
  readonly uploads: UploadStore
  /** Why a stranger's request is refused now, or undefined. */
  readonly shield: (c: RouteContext) => Failing | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * `GET /artifacts/{id}?expires=&signature=`: what a call gave that was too large for its answer. The link is the credential:
 * 403 for one that was not given out so, 410 for one that is over, 404 where what it led to is no more. `HEAD`, `Range` (one
 * part), `If-Range` and `If-None-Match` are RFC 9110's.
 *
 * `POST /artifacts?filename=`: keeps the body, a file of any type, and gives a handle for it, which calls name in its place.
 * `GET`, `HEAD` and `DELETE /artifacts/{id}` without a link are for whoever sent it, with a credential; to all others there is no
 * such file. `X-User-Id` says for which user, as over MCP.
 */
export function artifactsFace({ artifacts, uploads, shield, now, ...deps }: ArtifactsFaceDeps): Hono {
  const { respond } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.post('/artifacts', route({ scope: 'tools:call', query: uploadQuery }, upload))
  face.delete('/artifacts/:id', route({ scope: 'tools:call', query: NO_QUERY }, remove))
  const own = route({ scope: 'tools:call', query: NO_QUERY }, showOwn)
  const refuse = (_: Context, failure: Failure) => respond(failure)
  face.get('/artifacts/:id', reading({ query: linkQuery }, show, refuse))

  function show(c: Context, link: ReadOf<typeof linkQuery>): Promise<Response> {
    return link.signature === undefined && link.expires === undefined ? own(c) : showLinked(c, link)
  }

  async function upload(
    c: Context,
    principal: Principal,
    _: Note,
    { filename }: ReadOf<typeof uploadQuery>,
  ): Promise<Response | Failing> {
    const owner = ownerOf(c, principal)
    if (!owner.ok) return owner
    const request = c.req.raw
    const read = readUpload(request.headers, filename)
    if (!read.ok) return read
    let kept: Awaited<ReturnType<UploadStore['keep']>>
    try {
      kept = await uploads.keep({ ...read.value, body: request.body }, owner.value)
    } catch (error) {
      console.warn('Cannot keep a file', error instanceof Error ? error.name : typeof error)
      return fail({ type: 'unavailable', message: 'Cannot keep the file right now, or its body broke off' })
    }
    if (!kept.ok) return kept
    const { id, expires } = kept
    const headers = { location: `/artifacts/${id}` }
    return jsonText(JSON.stringify(encodeUpload(id, read.value, expires)), 201, headers)
  }

  async function remove(c: Context, principal: Principal): Promise<Response | Failing> {
    const found = await whereOwn(c, principal, (id, owner) => uploads.remove(id, owner))
    if (!found.ok) return found
    return found.value ? c.body(null, 204) : fail(UNKNOWN_FILE)
  }

  async function showOwn(c: Context, principal: Principal): Promise<Response | Failing> {
    const found = await whereOwn(c, principal, async (id, owner) => {
      const file = await uploads.find(id, owner)
      return file && { id, file }
    })
    if (!found.ok) return found
    if (!found.value) return fail(UNKNOWN_FILE)
    const { id, file } = found.value
    return answer(c.req.raw, file, id, file.expires)
  }

  /** What an owner's file comes to; nothing where there is none of this id. */
  async function whereOwn<T>(
    c: Context,
    principal: Principal,
    look: (id: string, owner: UploadOwner) => Promise<T>,
  ): Promise<Result<T>> {
    const owner = ownerOf(c, principal)
    if (!owner.ok) return owner
    const id = pathSegment(c.req.url, 2)
    return id.ok ? ok(await look(id.value, owner.value)) : id
  }

  async function showLinked(c: Context, { expires = '', signature = '' }: ReadOf<typeof linkQuery>): Promise<Response> {
    const limited = shield(c)
    if (limited) return respond(limited.failure)
    const id = pathSegment(c.req.url, 2)
    if (!id.ok) return respond(id.failure)
    const found = await artifacts.open({ id: id.value, expires, signature })
    if (typeof found === 'string') return respond(refusalOf(found))
    return answer(c.req.raw, found, id.value, Number(expires))
  }

  async function answer(
    request: Request,
    found: StoredArtifact & Partial<Pick<UploadedFile, 'filename'>>,
    id: string,
    expires: number,
  ): Promise<Response> {
    const headers = headersOf(found, id, expires, now())
    const unchanged = notModified(request, headers)
    if (unchanged) return unchanged
    const ifRange = request.headers.get('if-range')
    const isCurrent = ifRange === null || ifRange === found.etag
    const part = isCurrent ? readRange(request.headers.get('range'), found.size) : undefined
    if (part === 'unsatisfiable') {
      return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${found.size}` } })
    }
    const whole = { ...headers, 'content-length': String(found.size) }
    if (request.method === 'HEAD') return new Response(null, { headers: whole })
    const body = await found.read(part)
    if (!body) return respond(refusalOf('missing'))
    if (!part) return new Response(body, { headers: whole })
    const { offset, length } = part
    const range = `bytes ${offset}-${offset + length - 1}/${found.size}`
    const partial = { ...headers, 'content-range': range, 'content-length': String(length) }
    return new Response(body, { status: 206, headers: partial })
  }

  return face
}

/** Whose the files of a request are: the principal's, and the user's that it names, if any. */
function ownerOf(c: Context, principal: Principal): Result<UploadOwner> {
  const context = contextOf(c.req.raw)
  if (!context.ok) return context
  const userId = userOf(principal, context.value.userId)
  if (userId !== undefined && !mayActFor(principal, userId)) {
    return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
  }
  return ok({ principal: principal.id, userId })
}
