import type { Hono } from 'hono'
import type { Session } from '../../core/access/session.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { ok } from '../../core/failure/failure.ts'
import type { Sessions } from '../../http/caller/sessions.ts'
import { itemList } from '../../http/route/response-specs.ts'
import { createRouter, notFound, NO_INPUT, type RouteDeps } from '../../http/route/router.ts'

export interface SessionAnswers {
  'GET /sessions': { readonly items: readonly ReturnType<typeof encodeSession>[] }
  'DELETE /sessions/:id': undefined
}

type Deps = RouteDeps & { readonly sessions: Pick<Sessions, 'list' | 'remove'> }

/** One's own, and for administrators anybody's. One that is ended has no effect here at once, and nowhere after 60 s. */
export function createSessionsRoutes({ sessions, ...deps }: Deps): Hono {
  const { router, on } = createRouter<SessionAnswers>(deps)

  on('GET /sessions', 'List sessions', {
    ...NO_INPUT,
    responses: { 200: itemList('Sessions', 'Session') },
  })(async ({ principal }) => ok({ items: (await sessions.list(ownerFor(principal))).map(encodeSession) }))

  on('DELETE /sessions/:id', 'End a session', { ...NO_INPUT, auditAction: 'session.end' })(
    async ({ principal, path: { id } }) => {
      return (await sessions.remove(id, ownerFor(principal))) ? ok(undefined) : notFound('session', id)
    },
  )

  return router
}

function ownerFor(principal: Principal): string | undefined {
  return hasScope(principal, 'admin') ? undefined : principal.id
}

/** Never the cookie, nor its key's hash. */
export function encodeSession({ id, authenticatedBy, owner, origin, browser, created_at, expires_at }: Session) {
  const person = authenticatedBy.kind === 'person' ? { user_id: authenticatedBy.person.user } : {}
  return { id, principal: owner, ...person, origin, browser, created_at, expires_at }
}
