import type { Hono } from 'hono'
import type { Principal } from '../../../core/access/principal.ts'
import { mayReadImplementation } from '../../../core/access/toolkit-owner.ts'
import { fail, ok } from '../../../core/failure/failure.ts'
import type { WaitUntil } from '../../../core/tool/platform.ts'
import type { Implementation, ToolRecord } from '../../../core/tool/tool.ts'
import { notModified, PRIVATE } from '../../../http/response/json-response.ts'
import { json, OBJECT, mediaTypeOnly, UNCHANGED } from '../../../http/route/response-specs.ts'
import { getBackground } from '../../../http/route/authorizer.ts'
import { createRouter, PUBLISHER_ROUTE, type RouteDeps } from '../../../http/route/router.ts'
import { createFindTool, type FindToolDeps } from '../find-tool.ts'

interface ImplementationRoutesDeps extends RouteDeps, FindToolDeps {
  readonly readBlob: (hash: string) => Promise<ArrayBuffer | undefined>
}

/** For administrators, the owner, and keys that may publish in the toolkit by name; 403 for others who see the tool. */
export function createImplementationRoutes(deps: ImplementationRoutesDeps): Hono {
  const { toolkits, readBlob } = deps
  const { router, on } = createRouter<ImplementationAnswers>(deps, { access: 'public' })
  const find = createFindTool(deps, 'tools:publish')

  on('GET /tools/:id/implementation', 'Get the implementation of a version', {
    ...PUBLISHER_ROUTE,
    responses: { 200: json('The implementation as published', OBJECT), 304: UNCHANGED },
  })(async ({ c, principal, path: { id } }) => {
    const implementationResult = await findImplementation(id, principal, getBackground(c))
    if (!implementationResult.ok) return implementationResult
    const { record, implementation } = implementationResult.value
    const headers = { ...PRIVATE, etag: `"${record.digest}.implementation"` }
    const unchanged = notModified(c.req.raw, headers)
    return unchanged ?? { ...ok(encodeImplementation(record, implementation)), headers }
  })

  on('GET /tools/:id/implementation/module', 'Download the module of a code tool or a plugin', {
    ...PUBLISHER_ROUTE,
    responses: { 200: mediaTypeOnly('The module', '*/*'), 304: UNCHANGED },
  })(async ({ c, principal, path: { id } }) => {
    const stored = await findImplementation(id, principal, getBackground(c))
    if (!stored.ok) return stored
    const { record, implementation } = stored.value
    const moduleSource = findModule(implementation)
    if (!moduleSource) return notFound(`'${record.id}' has no module: it is of the kind '${implementation.kind}'`)
    const name = `${record.toolkit}.${record.tool}-${record.version}`
    const headers = { ...PRIVATE, ...moduleHeaders(moduleSource, name), etag: `"${record.digest}.module"` }
    const unchanged = notModified(c.req.raw, headers)
    if (unchanged) return unchanged
    const body = moduleSource.type === 'javascript' ? moduleSource.text : await readBlob(moduleSource.blob)
    if (body === undefined) return notFound(`The module of '${record.id}' is not kept here`)
    return new Response(body, { headers })
  })

  async function findImplementation(ref: string, principal: Principal, background: WaitUntil) {
    const tool = await find(ref, principal, background)
    if (!tool) return notFound(`Tool '${ref.slice(0, 200)}' was not found`)
    const { record } = tool
    const owner = (await toolkits.find(record.toolkit))?.owner ?? 'nobody'
    if (!mayReadImplementation(principal, record, owner)) {
      const reason = `Only the owner of its toolkit, keys that name it, and administrators can read the implementation of '${record.id}'`
      return fail({ type: 'forbidden', reason })
    }
    const { implementation } = record
    if (!implementation) return notFound(`'${record.id}' was published without an implementation`)
    return ok({ record, implementation })
  }

  return router
}

const notFound = (message: string) => fail({ type: 'not-found', message })

type Module = { readonly type: 'javascript'; readonly text: string } | { readonly type: 'wasm'; readonly blob: string }

export function findModule({ kind, module, blob }: Implementation): Module | undefined {
  if (kind === 'code' && typeof module === 'string') return { type: 'javascript', text: module }
  if (kind === 'wasm' && typeof blob === 'string') return { type: 'wasm', blob }
  return undefined
}

export function encodeImplementation(record: ToolRecord, implementation: Implementation) {
  const { id, digest } = record
  return {
    id,
    digest,
    implementation,
    ...(findModule(implementation) ? { module: `/tools/${encodeURIComponent(id)}/implementation/module` } : {}),
  }
}

/** Browsers must save the module and not run it. */
export function moduleHeaders({ type }: Module, name: string): Record<string, string> {
  const ending = type === 'wasm' ? 'wasm' : 'js'
  return {
    'content-type': type === 'wasm' ? 'application/wasm' : 'text/javascript; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.${ending}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  }
}

export interface ImplementationAnswers {
  'GET /tools/:id/implementation': ReturnType<typeof encodeImplementation>
}
