import type { Hono } from 'hono'
import { AUTH_METHODS, type OAuthClientStore } from '../../core/access/oauth-client.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { checkAlso, array, object, enumReader, optional, string, stringMatching } from '../../core/tool/json-reader.ts'
import { isSecureOrigin } from '../../http/caller/loopback.ts'
import { isRedirectUri, REDIRECT_URI_FORM } from '../../http/caller/redirect-uri.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { jsonRef, itemList } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter, notFound, type RouteDeps } from '../../http/route/router.ts'

export const CLIENT = object({
  name: string({ min: 1, max: 100 }),
  redirect_uris: array(checkAlso(string({ max: 2_000 }), stringMatching(REDIRECT_URI_FORM, isRedirectUri)), {
    min: 1,
    max: 20,
  }),
  token_endpoint_auth_method: optional(enumReader(AUTH_METHODS), 'none'),
})

interface ClientsRoutesDeps extends RouteDeps {
  readonly clients: OAuthClientStore
  readonly onChange: () => void
}

export function createClientsRoutes({ clients, onChange, ...deps }: ClientsRoutesDeps): Hono {
  const { router, on } = createRouter(deps)

  on('POST /clients', 'Create an OAuth client', {
    ...ADMIN_ROUTE,
    auditAction: 'client.create',
    body: jsonBody(CLIENT, { what: 'client' }),
    responses: { 201: jsonRef('The client; its secret is returned only once', 'Client') },
  })(async ({ c, body }) => {
    const url = new URL(c.req.url)
    if (!isSecureOrigin(url)) return fail({ type: 'request-malformed', message: 'Agents connect over https' })
    return { ...ok(await clients.create(url.origin, body)), status: 201 }
  })

  on('GET /clients', 'List OAuth clients', {
    ...ADMIN_ROUTE,
    responses: { 200: itemList('All clients', 'Client') },
  })(async () => ok({ items: await clients.list() }))

  on('DELETE /clients/:id', 'Delete an OAuth client and disconnect its agents', {
    ...ADMIN_ROUTE,
    auditAction: 'client.remove',
  })(async ({ path: { id } }) => {
    const isRemoved = await clients.remove(id)
    onChange()
    return isRemoved ? ok(undefined) : notFound('client', id)
  })

  return router
}
