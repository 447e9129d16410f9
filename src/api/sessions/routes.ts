import type { Hono } from 'hono'
import type { ApiKey } from '../../core/access/api-key.ts'
import type { Session } from '../../core/access/session.ts'
import { listSessionOwners } from '../../core/access/session-owners.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { SIGN_IN, type UserGrants } from '../../core/consent/authorization.ts'
import { identifier } from '../../core/call/call-options.ts'
import { ok } from '../../core/failure/failure.ts'
import { optional } from '../../core/tool/json-reader.ts'
import type { Sessions } from '../../http/caller/sessions.ts'
import { defineQuery } from '../../http/request/query.ts'
import { itemList } from '../../http/route/response-specs.ts'
import { createRouter, notFound, NO_INPUT, type RouteDeps } from '../../http/route/router.ts'

export interface SessionAnswers {
  'GET /sessions': { readonly items: readonly ReturnType<typeof encodeSession>[] }
  'DELETE /sessions': undefined
  'DELETE /sessions/:id': undefined
}

interface SessionsDeps extends RouteDeps {
  readonly sessions: Pick<Sessions, 'list' | 'remove' | 'removeAll'>
  /** Finds the session of the browser that sent a request, directly or through a page. */
  readonly findSession: (request: Request) => ReturnType<Sessions['findSession']>
  readonly listKeys: () => Promise<readonly ApiKey[]>
  readonly vault: Pick<UserGrants, 'revoke'>
}

/** Callers' own sessions; for administrators, all. An ended session stops working here at once, and everywhere within 60 s. */
export function createSessionsRoutes({ sessions, findSession, listKeys, vault, ...deps }: SessionsDeps): Hono {
  const { router, on } = createRouter<SessionAnswers>(deps)

  on('GET /sessions', 'List sessions', {
    ...NO_INPUT,
    query: defineQuery({ user_id: optional(identifier) }),
    responses: { 200: itemList('Sessions', 'Session') },
  })(async ({ c, principal, query: { user_id } }) => {
    const visible = ownerFor(principal)
    const owners = user_id === undefined ? [visible] : listSessionOwners(user_id, await listKeys())
    const visibleOwners = owners.filter((owner) => visible === undefined || owner === visible)
    const lists = await Promise.all(visibleOwners.map((owner) => sessions.list(owner)))
    const currentId = await findCurrentId(c.req.raw, principal)
    return ok({ items: lists.flat().map((session) => encodeSession(session, currentId)) })
  })

  on('DELETE /sessions', "End one's other sessions", { ...NO_INPUT, auditAction: 'session.end' })(
    async ({ c, principal, addAuditDetails }) => {
      addAuditDetails({ sessions: await sessions.removeAll(principal.id, await findCurrentId(c.req.raw, principal)) })
      const [user] = principal.kind === 'person' && principal.users !== 'any' ? principal.users : []
      if (user !== undefined) await vault.revoke(user, SIGN_IN)
      return ok(undefined)
    },
  )

  on('DELETE /sessions/:id', 'End a session', { ...NO_INPUT, auditAction: 'session.end' })(
    async ({ principal, path: { id } }) => {
      return (await sessions.remove(id, ownerFor(principal))) ? ok(undefined) : notFound('session', id)
    },
  )

  /** Returns the id of the requesting browser's session if it belongs to the caller. */
  async function findCurrentId(request: Request, principal: Principal): Promise<string | undefined> {
    const current = await findSession(request)
    return current.ok && current.value.session.owner === principal.id ? current.value.session.id : undefined
  }

  return router
}

function ownerFor(principal: Principal): string | undefined {
  return hasScope(principal, 'admin') ? undefined : principal.id
}

/** Never includes the cookie or the hash of a key. */
export function encodeSession(session: Session, currentId?: string) {
  const { id, authenticatedBy, owner, origin, browser, created_at, expires_at } = session
  const person = authenticatedBy.kind === 'person' ? { user_id: authenticatedBy.person.user } : {}
  const current = id === currentId ? ({ current: true } as const) : {}
  return { id, principal: owner, ...person, origin, browser, created_at, expires_at, ...current }
}
