import type { Hono } from 'hono'
import { AUTH_METHODS, type OAuthClientStore } from '../../core/access/oauth-client.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { also, list, object, oneOf, optional, string, text } from '../../core/tool/json-reader.ts'
import { isTrustworthy } from '../../http/caller/loopback.ts'
import { isRedirectUri, WANTED_REDIRECT_URI } from '../../http/caller/redirect-uri.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { component, items } from '../../http/route/answers.ts'
import { ADMIN, createFace, notFound, type RouteDeps } from '../../http/route/route.ts'

export const CLIENT = object({
  name: string({ least: 1, most: 100 }),
  redirect_uris: list(also(string({ most: 2_000 }), text(WANTED_REDIRECT_URI, isRedirectUri)), { least: 1, most: 20 }),
  token_endpoint_auth_method: optional(oneOf(AUTH_METHODS), 'none'),
})

export interface ClientsFaceDeps extends RouteDeps {
  readonly clients: OAuthClientStore
  readonly onChange: () => void
}

export function clientsFace({ clients, onChange, ...deps }: ClientsFaceDeps): Hono {
  const { face, on } = createFace(deps)

  on('POST /clients', 'Create an OAuth client', {
    ...ADMIN,
    act: 'client.create',
    body: jsonBody(CLIENT, { what: 'client' }),
    answers: { 201: component('The client; its secret is returned only once', 'Client') },
  })(async ({ c, body }) => {
    const url = new URL(c.req.url)
    if (!isTrustworthy(url)) return fail({ type: 'request-malformed', message: 'Agents connect over https' })
    return { ...ok(await clients.create(url.origin, body)), status: 201 }
  })

  on('GET /clients', 'List OAuth clients', {
    ...ADMIN,
    answers: { 200: items('All clients', 'Client') },
  })(async () => ok({ items: await clients.list() }))

  on('DELETE /clients/:id', 'Delete an OAuth client and disconnect its agents', {
    ...ADMIN,
    act: 'client.remove',
  })(async ({ path: { id } }) => {
    const removed = await clients.remove(id)
    onChange()
    return removed ? ok(undefined) : notFound('client', id)
  })

  return face
}
