import type { Context, Hono } from 'hono'
import { mayActFor, type Principal } from '../../core/access/principal.ts'
import type { ArtifactStore, StoredArtifact, UploadOwner, UploadStore } from '../../core/call/artifact-store.ts'
import { resolveUserId } from '../../core/call/authorize-call.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { RouteContext } from '../../http/route/authorizer.ts'
import { readCallContext } from '../../http/route/incoming-call.ts'
import { fileResponse } from '../../http/response/stored-file.ts'
import { waitForBody } from '../../http/request/body.ts'
import { MEMORY_FULL } from '../../http/request/request-memory.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { type QueryValues, readQuery } from '../../http/request/query.ts'
import { jsonRef, mediaTypeOnly, UNCHANGED } from '../../http/route/response-specs.ts'
import { CALLER_ROUTE, createRouter, type RouteDeps } from '../../http/route/router.ts'
import * as wire from './wire.ts'

/** Bytes of an upload held on the way to the bucket if that is in the same process. */
const UPLOAD_BYTES = 8_000_000

interface ArtifactsRoutesDeps extends RouteDeps {
  readonly artifacts: Pick<ArtifactStore, 'open'>
  readonly uploads: UploadStore
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly now: () => number
}

/** Without a link, which is a credential, only its sender can read a file. `Range` and conditions follow RFC 9110. */
export function createArtifactsRoutes({ artifacts, uploads, limitAnonymous, now, ...deps }: ArtifactsRoutesDeps): Hono {
  const { respond } = deps
  const { router, on, defineHandler } = createRouter(deps)

  on('POST /artifacts', 'Upload a file for use in calls', {
    ...CALLER_ROUTE,
    requestType: '*/*',
    query: wire.uploadQuery,
    responses: { 201: jsonRef('The file and its handle', 'Upload') },
  })(async ({ c, principal, memory, query: { filename } }) => {
    const request = c.req.raw
    const owner = readOwner(request, principal)
    if (!owner.ok) return owner
    const upload = wire.readUpload(request.headers, filename)
    if (!upload.ok) return upload
    if (!(await memory.growBody(Math.min(upload.value.size, UPLOAD_BYTES)))) return MEMORY_FULL
    let storedUpload: Awaited<ReturnType<UploadStore['keep']>>
    try {
      const { size } = upload.value
      storedUpload = await waitForBody(uploads.keep({ ...upload.value, body: request.body }, owner.value), size)
    } catch (error) {
      console.warn('Cannot keep a file', error instanceof Error ? error.name : typeof error)
      return fail({ type: 'unavailable', message: 'Cannot keep the file right now, or its body broke off' })
    }
    if (!storedUpload.ok) return storedUpload
    const { id, expires } = storedUpload
    const headers = { location: `/artifacts/${id}` }
    return { ...ok(wire.encodeUpload(id, upload.value, expires)), status: 201, headers }
  })

  on(
    'DELETE /artifacts/:id',
    'Delete an uploaded file',
    CALLER_ROUTE,
  )(async ({ c, principal, path: { id } }) => {
    const owner = readOwner(c.req.raw, principal)
    if (!owner.ok) return owner
    return (await uploads.remove(id, owner.value)) ? ok(undefined) : fail(wire.UNKNOWN_FILE)
  })

  const summary = 'Download the output of a call, or an uploaded file'
  const DOWNLOAD = {
    responses: {
      200: mediaTypeOnly('The file', '*/*'),
      206: mediaTypeOnly('A part', '*/*'),
      304: UNCHANGED,
      416: { description: 'No such part' },
    },
  } as const
  const downloadUpload = defineHandler('GET /artifacts/:id', summary, { ...CALLER_ROUTE, ...DOWNLOAD })(async ({
    c,
    principal,
    path,
  }) => {
    const { id } = path
    const owner = readOwner(c.req.raw, principal)
    if (!owner.ok) return owner
    const file = await uploads.find(id, owner.value)
    return file ? respondWithFile(c.req.raw, file, id, file.expires) : fail(wire.UNKNOWN_FILE)
  })
  const operation = { ...DOWNLOAD, summary, query: wire.linkQuery, scope: CALLER_ROUTE.scope }
  const download = declareOperation(operation, (c: Context) => {
    const link = readQuery(wire.linkQuery, c.req.url)
    if (!link.ok) return respond(link.failure)
    const { signature, expires } = link.value
    return signature === undefined && expires === undefined ? downloadUpload(c) : downloadLinked(c, link.value)
  })
  router.get('/artifacts/:id', download)

  async function downloadLinked(c: Context, { expires = '', signature = '' }: QueryValues<typeof wire.linkQuery>) {
    const rateDenial = limitAnonymous(c)
    if (rateDenial) return respond(rateDenial.failure)
    const id = pathSegment(c.req.url, 2)
    if (!id.ok) return respond(id.failure)
    const artifact = await artifacts.open({ id: id.value, expires, signature })
    if (typeof artifact === 'string') return respond(wire.LINK_FAILURES[artifact])
    return respondWithFile(c.req.raw, artifact, id.value, Number(expires))
  }

  async function respondWithFile(
    request: Request,
    artifact: StoredArtifact,
    id: string,
    expires: number,
  ): Promise<Response> {
    return (await fileResponse(request, artifact, id, expires, now())) ?? respond(wire.LINK_FAILURES.missing)
  }

  return router
}

function readOwner(request: Request, principal: Principal): Result<UploadOwner> {
  const context = readCallContext(request)
  if (!context.ok) return context
  const userId = resolveUserId(principal, context.value.userId)
  if (userId !== undefined && !mayActFor(principal, userId))
    return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
  return ok({ principal: principal.id, userId })
}
