import { Hono } from 'hono'
import type { ArtifactStore } from '../../core/call/artifact-store.ts'
import type { Failing, Failure } from '../../core/call/failure.ts'
import type { RouteContext } from '../../http/gate.ts'
import { notModified } from '../../http/json-response.ts'
import { pathSegment } from '../../http/path-segment.ts'
import { headersOf, readRange, refusalOf } from './wire.ts'

export interface ArtifactsFaceDeps {
  readonly artifacts: Pick<ArtifactStore, 'open'>
  /** Why a stranger's request is refused now, or undefined. */
  readonly shield: (c: RouteContext) => Failing | undefined
  readonly respond: (failure: Failure) => Response
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * `GET /artifacts/{id}?expires=&signature=`: what a call gave that was too large for its answer. The link is the credential:
 * 403 for one that was not given out so, 410 for one that is over, 404 where what it led to is no more. `HEAD`, `Range` (one
 * part), `If-Range` and `If-None-Match` are RFC 9110's.
 */
export function artifactsFace({ artifacts, shield, respond, now }: ArtifactsFaceDeps): Hono {
  const face = new Hono()
  face.get('/artifacts/:id', async (c) => {
    const limited = shield(c)
    if (limited) return respond(limited.failure)
    const request = c.req.raw
    const id = pathSegment(request.url, 2)
    if (!id.ok) return respond(id.failure)
    const expires = c.req.query('expires') ?? ''
    const found = await artifacts.open({ id: id.value, expires, signature: c.req.query('signature') ?? '' })
    if (typeof found === 'string') return respond(refusalOf(found))

    const headers = headersOf(found, id.value, expires, now())
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
  })
  return face
}
