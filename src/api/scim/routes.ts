import type { Context, Hono } from 'hono'
import { type Directory, type DirectoryChange, type DirectoryKind, PATCH } from '../../core/access/directory.ts'
import { type Failure, fail, ok } from '../../core/failure/failure.ts'
import { anyObject } from '../../core/tool/json-reader.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import { mediaTypeOnly } from '../../http/route/response-specs.ts'
import { type AddAuditDetails, createRouter, NO_INPUT, notFound, type RouteDeps } from '../../http/route/router.ts'
import type { EndAccess } from '../users/access/routes.ts'
import * as wire from './wire.ts'

interface ScimRoutesDeps extends RouteDeps {
  readonly directory: Directory
  readonly endAccess: EndAccess
  readonly newId: () => string
  /** Called when people's rights may have changed. */
  readonly onChange: () => void
}

const TYPE = 'application/scim+json'
const LIMITS = { limit: 1_000_000, parts: 200_000 }
const responses = { 200: mediaTypeOnly('SCIM response', TYPE) }
const ROUTE = { scope: 'scim', ...NO_INPUT, query: ANY_QUERY, failures: 'ScimError', failureType: TYPE } as const
const READ = { ...ROUTE, responses } as const
const CHANGE = { ...ROUTE, auditAction: 'scim.put', requestType: TYPE } as const

/**
 * SCIM 2.0 (RFC 7644), by which a company's directory provisions its people. The request that deactivates or deletes a user
 * ends the user's access here, except by API keys. If that fails, so does the request, and the directory sends it again.
 */
export function createScimRoutes({ directory, endAccess, newId, onChange, ...deps }: ScimRoutesDeps): Hono {
  function respond(failure: Failure): Response {
    const { headers, status: ownStatus } = deps.respond(failure)
    const status = ownStatus === 422 ? 400 : ownStatus
    headers.set('content-type', TYPE)
    return new Response(JSON.stringify(wire.encodeScimError(failure, status)), { status, headers })
  }
  const { router, on } = createRouter({ ...deps, respond })
  const answer = (value: object, status = 200, headers = {}) => {
    return { ...ok(value), status, headers: { 'content-type': TYPE, ...headers } }
  }

  const discover = (name: string, value: object) =>
    on(`GET /scim/v2/${name}`, `Get the ${name} of SCIM`, READ)(async () => answer(value))
  discover('ServiceProviderConfig', wire.SERVICE_PROVIDER)
  discover('ResourceTypes', wire.encodeList(wire.RESOURCE_TYPES))
  discover('Schemas', wire.encodeList(wire.RESOURCE_SCHEMAS))

  for (const kind of wire.KINDS) {
    const name = kind.toLowerCase()
    const path = `/scim/v2/${kind}s` as const
    const body = jsonBody(anyObject, { ...LIMITS, what: name })
    const createRoute = { ...CHANGE, body, responses: { 201: mediaTypeOnly('SCIM response', TYPE) } }
    const patch = jsonBody(PATCH, { ...LIMITS, what: 'PATCH' })
    const patchRoute = { ...CHANGE, body: patch, ...(kind === 'User' && { responses }) }

    const list = on(`GET ${path}`, `List directory ${name}s`, { ...READ, query: wire.LIST_QUERY })
    list(async ({ c, query }) => {
      const page = wire.toPage(kind, query)
      if (!page.ok) return page
      const { total, entries } = await directory.listDirectory(kind, page.value)
      const resources = entries.map((entry) => wire.encodeEntry(kind, entry, c.req.url, query))
      return answer(wire.encodeList(resources, page.value.offset + 1, total))
    })
    const get = on(`GET ${path}/:id`, `Get a directory ${name}`, { ...READ, query: wire.RESOURCE_QUERY })
    get(async ({ c, query, path: { id } }) => {
      const page = { match: { field: 'id', value: id }, offset: 0, limit: 1 } as const
      const [entry] = (await directory.listDirectory(kind, page)).entries
      return entry ? answer(wire.encodeEntry(kind, entry, c.req.url, query)) : notFound(name, id)
    })
    const create = on(`POST ${path}`, `Create a directory ${name}`, createRoute)
    create((request) => change(kind, newId(), { resource: request.body }, request, true))
    const replace = on(`PUT ${path}/:id`, `Replace a directory ${name}`, { ...CHANGE, body, responses })
    replace((request) => change(kind, request.path.id, { resource: request.body }, request))
    const update = on(`PATCH ${path}/:id`, `Update a directory ${name}`, patchRoute)
    update((request) => change(kind, request.path.id, request.body, request))
    const remove = on(`DELETE ${path}/:id`, `Delete a directory ${name}`, { ...ROUTE, auditAction: 'scim.remove' })
    remove(async (request) => {
      const { id } = request.path
      // Removed after access has ended, because directories do not retry requests that return 404
      const end = { op: 'replace', path: 'active', value: false } as const
      const endResult = await change(kind, id, { Operations: [end] }, request)
      if (!endResult.ok) return endResult
      await directory.removeDirectoryEntry(id)
      onChange()
      return ok(undefined)
    })
  }

  async function change(
    kind: DirectoryKind,
    id: string,
    directoryChange: DirectoryChange,
    { c, addAuditDetails }: { readonly c: Context; readonly addAuditDetails: AddAuditDetails },
    isNew = false,
  ) {
    const result = await directory.changeDirectory(kind, id, directoryChange, isNew)
    if (result === 'not-found') return notFound(kind.toLowerCase(), id)
    if (result === 'conflict') return fail({ type: 'conflict', message: `Another ${kind.toLowerCase()} has this name` })
    if ('problems' in result) return fail({ type: 'definition-invalid', what: kind.toLowerCase(), ...result })
    onChange()
    const { entry, leavers } = result
    addAuditDetails({ id, name: 'userName' in entry ? entry.userName : entry.displayName })
    const counts = []
    for (const user of new Set(leavers)) {
      const end = await endAccess(user, () => undefined)
      if (!end.ok) return end
      counts.push(end.value)
    }
    addAuditDetails({ ended: counts })
    if (kind === 'Group' && 'Operations' in directoryChange) return ok(undefined)
    const resource = wire.encodeEntry(kind, entry, c.req.url)
    return isNew ? answer(resource, 201, { location: resource.meta.location }) : answer(resource)
  }

  return router
}
