import type { Context, Hono } from 'hono'
import { mayActFor, type Principal } from '../../core/access/principal.ts'
import type { ArtifactStore, StoredArtifact, UploadOwner, UploadStore } from '../../core/call/artifact-store.ts'
import { userOf } from '../../core/call/authorise.ts'
import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { RouteContext } from '../../http/route/gate.ts'
import { contextOf } from '../../http/route/incoming-call.ts'
import { fileResponse } from '../../http/answer/stored-file.ts'
import { waitForBody } from '../../http/request/body.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { declare } from '../../http/route/operation.ts'
import { type ReadOf, readQuery } from '../../http/request/query.ts'
import { component, plain, UNCHANGED } from '../../http/route/answers.ts'
import { CALLER, createFace, type RouteDeps } from '../../http/route/route.ts'
import * as wire from './wire.ts'

export interface ArtifactsFaceDeps extends RouteDeps {
  readonly artifacts: Pick<ArtifactStore, 'open'>
  readonly uploads: UploadStore
  readonly shield: (c: RouteContext) => Failing | undefined
  readonly now: () => number
}

/** Without a link, which is a credential, a file is its sender's alone. `Range` and conditions are RFC 9110's. */
export function artifactsFace({ artifacts, uploads, shield, now, ...deps }: ArtifactsFaceDeps): Hono {
  const { respond } = deps
  const { face, on, handler } = createFace(deps)

  on('POST /artifacts', 'Upload a file for use in calls', {
    ...CALLER,
    sends: '*/*',
    query: wire.uploadQuery,
    answers: { 201: component('The file and its handle', 'Upload') },
  })(async ({ c, principal, query: { filename } }) => {
    const request = c.req.raw
    const owner = ownerOf(request, principal)
    if (!owner.ok) return owner
    const read = wire.readUpload(request.headers, filename)
    if (!read.ok) return read
    let kept: Awaited<ReturnType<UploadStore['keep']>>
    try {
      const { size } = read.value
      kept = await waitForBody(uploads.keep({ ...read.value, body: request.body }, owner.value), size)
    } catch (error) {
      console.warn('Cannot keep a file', error instanceof Error ? error.name : typeof error)
      return fail({ type: 'unavailable', message: 'Cannot keep the file right now, or its body broke off' })
    }
    if (!kept.ok) return kept
    const { id, expires } = kept
    const headers = { location: `/artifacts/${id}` }
    return { ...ok(wire.encodeUpload(id, read.value, expires)), status: 201, headers }
  })

  on(
    'DELETE /artifacts/:id',
    'Delete an uploaded file',
    CALLER,
  )(async ({ c, principal, path: { id } }) => {
    const owner = ownerOf(c.req.raw, principal)
    if (!owner.ok) return owner
    return (await uploads.remove(id, owner.value)) ? ok(undefined) : fail(wire.UNKNOWN_FILE)
  })

  const summary = 'Download the output of a call, or an uploaded file'
  const READ = {
    answers: {
      200: plain('The whole', '*/*'),
      206: plain('A part', '*/*'),
      304: UNCHANGED,
      416: { says: 'No such part' },
    },
  } as const
  const showOwn = handler('GET /artifacts/:id', summary, { ...CALLER, ...READ })(async ({ c, principal, path }) => {
    const { id } = path
    const owner = ownerOf(c.req.raw, principal)
    if (!owner.ok) return owner
    const file = await uploads.find(id, owner.value)
    return file ? answer(c.req.raw, file, id, file.expires) : fail(wire.UNKNOWN_FILE)
  })
  const operation = { ...READ, summary, query: wire.linkQuery, scope: CALLER.scope }
  const show = declare(operation, (c: Context) => {
    const link = readQuery(wire.linkQuery, c.req.url)
    if (!link.ok) return respond(link.failure)
    const { signature, expires } = link.value
    return signature === undefined && expires === undefined ? showOwn(c) : showLinked(c, link.value)
  })
  face.get('/artifacts/:id', show)

  async function showLinked(c: Context, { expires = '', signature = '' }: ReadOf<typeof wire.linkQuery>) {
    const limited = shield(c)
    if (limited) return respond(limited.failure)
    const id = pathSegment(c.req.url, 2)
    if (!id.ok) return respond(id.failure)
    const found = await artifacts.open({ id: id.value, expires, signature })
    if (typeof found === 'string') return respond(wire.REFUSALS[found])
    return answer(c.req.raw, found, id.value, Number(expires))
  }

  async function answer(request: Request, found: StoredArtifact, id: string, expires: number): Promise<Response> {
    return (await fileResponse(request, found, id, expires, now())) ?? respond(wire.REFUSALS.missing)
  }

  return face
}

function ownerOf(request: Request, principal: Principal): Result<UploadOwner> {
  const context = contextOf(request)
  if (!context.ok) return context
  const userId = userOf(principal, context.value.userId)
  if (userId !== undefined && !mayActFor(principal, userId))
    return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
  return ok({ principal: principal.id, userId })
}
