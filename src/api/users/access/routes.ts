import type { ApiKey } from '../../../core/access/api-key.ts'
import { listSessionOwners } from '../../../core/access/session-owners.ts'
import type { UserList, UserSummary } from '../../../core/access/user.ts'
import { identifier, integerStringReader } from '../../../core/call/call-options.ts'
import type { UserConnections } from '../../../core/consent/connection.ts'
import { fail, ok, UnreachableError } from '../../../core/failure/failure.ts'
import { optional, string } from '../../../core/tool/json-reader.ts'
import type { Agents } from '../../../http/caller/agents.ts'
import type { Sessions } from '../../../http/caller/sessions.ts'
import { defineQuery } from '../../../http/request/query.ts'
import { jsonRef } from '../../../http/route/response-specs.ts'
import { type AddAuditDetails, ADMIN_ROUTE, createRouter, type RouteDeps } from '../../../http/route/router.ts'
import { encodeAgent } from '../agents/routes.ts'
import { encodeConnection } from '../routes.ts'

type ListedUser = Readonly<Record<'accounts' | 'agents' | 'sessions' | 'keys', number>> & { readonly user_id: string }

export interface UserAccessAnswers {
  'GET /users': { readonly items: readonly ListedUser[]; readonly next_cursor?: string }
  'GET /users/:user/access': {
    readonly user_id: string
    readonly accounts: readonly ReturnType<typeof encodeConnection>[]
    readonly agents: readonly ReturnType<typeof encodeAgent>[]
    readonly keys: readonly Pick<ApiKey, 'id' | 'name'>[]
  }
  'DELETE /users/:user/access': Readonly<Record<'sessions' | 'agents' | 'accounts' | 'authorizations', number>> & {
    readonly user_id: string
    /** Deleted here, but the provider did not confirm that it revoked the tokens. */
    readonly not_revoked: readonly { readonly provider: string; readonly account: string }[]
    /** Keys that still work. */
    readonly keys: readonly Pick<ApiKey, 'id' | 'name'>[]
  }
}

interface UserAccessDeps extends RouteDeps {
  readonly users: UserList
  readonly listKeys: () => Promise<readonly ApiKey[]>
  readonly sessions: Pick<Sessions, 'removeAll'>
  readonly agents: Pick<Agents, 'list' | 'removeAll'>
  readonly grants: Pick<UserConnections, 'list' | 'listConnections' | 'endAll'>
  /** Takes the id of a principal. */
  readonly removeTasks: (principal: string) => Promise<void>
}

const MAX_LIMIT = 100

/** For administrators: lists who has access, and ends access when a person leaves. */
export function createUserAccessRoutes({ users, listKeys, sessions, agents, grants, ...deps }: UserAccessDeps) {
  const { router, on } = createRouter<UserAccessAnswers>(deps)

  on('GET /users', 'List users with accounts, agents, sessions or keys', {
    ...ADMIN_ROUTE,
    query: defineQuery({
      q: optional(string({ max: 256 }), ''),
      limit: optional(integerStringReader(1, MAX_LIMIT), MAX_LIMIT),
      cursor: optional(identifier, ''),
    }),
    responses: { 200: jsonRef('Sorted by id', 'Users') },
  })(async ({ query: { q: text, limit, cursor: after } }) => {
    const summaries = await users.list({ after, text, limit })
    const listedUsers = (await Promise.all(summaries.map(countAccounts))).filter((item) => item !== undefined)
    const last = summaries.length === limit ? summaries.at(-1) : undefined
    return ok({ items: listedUsers, ...(last && { next_cursor: last.user }) })
  })

  on('GET /users/:user/access', "Get a user's accounts, agents and keys", {
    ...ADMIN_ROUTE,
    path: { user: identifier },
    responses: { 200: jsonRef('Access of the user, except sessions', 'UserAccess') },
  })(async ({ path: { user } }) => {
    const [connections, userAgents, keys] = await Promise.all([
      grants.listConnections(user),
      agents.list({ kind: 'user', id: user }),
      listUserKeys(user),
    ])
    const accounts = connections.map(encodeConnection)
    return ok({ user_id: user, accounts, agents: userAgents.map(encodeAgent), keys: keys.map(toNamedKey) })
  })

  on('DELETE /users/:user/access', "End all of a user's access", {
    ...ADMIN_ROUTE,
    path: { user: identifier },
    auditAction: 'access.end',
    responses: { 200: jsonRef('Ended access', 'EndedAccess') },
  })(({ path: { user }, addAuditDetails }) => endAccess(user, addAuditDetails))

  async function endAccess(user: string, addAuditDetails: AddAuditDetails) {
    const keys = await listUserKeys(user)
    const sessionCounts = await Promise.all(listSessionOwners(user, keys).map((owner) => sessions.removeAll(owner)))
    const endedAccess = {
      user_id: user,
      sessions: sessionCounts.reduce((sum, count) => sum + count, 0),
      agents: await agents.removeAll({ kind: 'user', id: user }),
    }
    addAuditDetails(endedAccess)
    try {
      await Promise.all([`person:${user}`, `jwt:${user}`].map((principal) => deps.removeTasks(principal)))
      const { revocations, authorizations } = await grants.endAll(user)
      const counts = { ...endedAccess, accounts: revocations.length, authorizations }
      const untold = revocations.filter(({ isRevokedAtProvider }) => !isRevokedAtProvider)
      const not_revoked = untold.map(({ provider, account }) => ({ provider, account }))
      addAuditDetails({ ...counts, not_revoked })
      return ok({ ...counts, not_revoked, keys: keys.map(toNamedKey) })
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      const summary = `${endedAccess.sessions} sessions and ${endedAccess.agents} agents were ended, but accounts may remain`
      return fail({ type: 'unavailable', message: `${error.message}: ${summary}. Send the request again` })
    }
  }

  async function listUserKeys(user: string): Promise<readonly ApiKey[]> {
    return (await listKeys()).filter((key) => key.users !== 'any' && key.users.includes(user))
  }

  /** Undefined if the user has no accounts, agents, sessions or keys left. */
  async function countAccounts({ user, mayHaveGrants, ...counts }: UserSummary): Promise<ListedUser | undefined> {
    const accounts = mayHaveGrants ? (await grants.list(user)).length : 0
    if (mayHaveGrants && accounts === 0) await users.forgetGrantHolder(user)
    const isListed = accounts + counts.agents + counts.sessions + counts.keys > 0
    return isListed ? { user_id: user, accounts, ...counts } : undefined
  }

  return { router, endAccess }
}

export type EndAccess = ReturnType<typeof createUserAccessRoutes>['endAccess']

function toNamedKey({ id, name }: ApiKey) {
  return { id, name }
}
