import type { Hono } from 'hono'
import type { OAuthClientStore } from '../../core/access/oauth-client.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { isTrustworthy } from '../../http/caller/loopback.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { component, DONE, items } from '../../http/route/answers.ts'
import { createFace, PLAIN, type RouteDeps } from '../../http/route/route.ts'
import { CLIENT } from './wire.ts'

export interface ClientsFaceDeps extends RouteDeps {
  readonly clients: OAuthClientStore
  readonly onChange: () => void
}

interface ClientAnswers {
  'POST /clients': Awaited<ReturnType<OAuthClientStore['create']>>
  'GET /clients': { readonly items: Awaited<ReturnType<OAuthClientStore['list']>> }
  'DELETE /clients/:id': undefined
}

/** `POST·GET·DELETE /clients[/{id}]`, for hosts that take neither a document nor a registration. Removing a client ends its agents. */
export function clientsFace({ clients, onChange, ...deps }: ClientsFaceDeps): Hono {
  const { face, on } = createFace<ClientAnswers>(deps)
  const ADMIN = { scope: 'admin', ...PLAIN } as const

  on('POST /clients', {
    ...ADMIN,
    summary: 'Make an OAuth client for a host of agents',
    act: 'client.create',
    body: jsonBody(CLIENT, { what: 'client' }),
    answers: { 201: component('The client, its secret shown once', 'Client') },
  })(async ({ c, body }) => {
    const url = new URL(c.req.url)
    if (!isTrustworthy(url)) return fail({ type: 'request-malformed', message: 'Agents connect by https' })
    return { ...ok(await clients.create(url.origin, body)), status: 201 }
  })

  on('GET /clients', {
    ...ADMIN,
    summary: 'List the OAuth clients that were made',
    answers: { 200: items('All clients', 'Client') },
  })(async () => ok({ items: await clients.list() }))

  on('DELETE /clients/:id', {
    ...ADMIN,
    summary: 'Remove an OAuth client, and its agents',
    act: 'client.remove',
    answers: DONE,
  })(async ({ path: { id } }) => {
    const removed = await clients.remove(id)
    onChange()
    return removed
      ? ok(undefined)
      : fail({ type: 'not-found', message: `Cannot find the client '${id.slice(0, 100)}'` })
  })

  return face
}
