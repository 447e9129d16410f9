import { type Agent, type AgentStore, toAgentPrincipal } from '../../core/access/agent.ts'
import { formatHolder, type Holder } from '../../core/access/holder.ts'
import type { Principal } from '../../core/access/principal.ts'
import { readUrlToolset, stripQuery } from '../../core/access/toolset-url.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { isSecureOrigin } from './loopback.ts'
import type { Sessions } from './sessions.ts'
import {
  createLookupCache,
  type CredentialCheck,
  type CheckLookupAllowed,
  toPrincipalResult,
} from './credential-cache.ts'

interface AgentsOptions {
  readonly store: AgentStore
  readonly loadPrincipal: Sessions['loadPrincipal']
  readonly now: () => number
}

export type Agents = ReturnType<typeof createAgentAuthenticator>

const TOKEN = /^bearer +([\w-]{22}:[\w-]{16}:[\w-]{32})$/i
const MAX_HEADER_CHARACTERS = 8_192

const NO_TOKEN = fail({
  type: 'unauthenticated',
  reason: "OAuth access token required (see 'resource_metadata'). API keys work at '/mcp'",
})
const BAD_TOKEN = fail({
  type: 'unauthenticated',
  reason: 'The access token is not known, has expired, was revoked or is for another address',
})

/** Authenticates access tokens. `check` receives the resource of the request: its URL without the query. */
export function createBearerAuthenticator<T extends { readonly principal: Principal }>(
  now: () => number,
  pattern: RegExp,
  check: (resource: string, token: string) => Promise<CredentialCheck<T>>,
) {
  const tokens = createLookupCache(now, 'access token', (credential) => {
    const separator = credential.indexOf(' ')
    return check(credential.slice(0, separator), credential.slice(separator + 1))
  })
  return {
    ...tokens,
    async authenticate(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<Principal>> {
      const header = request.headers.get('authorization') ?? ''
      const token = header.length <= MAX_HEADER_CHARACTERS ? pattern.exec(header)?.[1] : undefined
      if (token === undefined) return NO_TOKEN
      return toPrincipalResult(await tokens.get(`${stripQuery(request.url)} ${token}`, mayLookUp))
    },
  }
}

/**
 * An agent has at most the current rights of its user, and its token is valid only at the origin that it was issued for. All
 * resources are one server, so a token for a toolset shows only that toolset at each of them. A token for all tools is refused
 * at a toolset's URL.
 */
export function createAgentAuthenticator({ store, loadPrincipal, now }: AgentsOptions) {
  const { authenticate, forget, invalidateWhere } = createBearerAuthenticator(now, TOKEN, find)

  async function find(
    resource: string,
    token: string,
  ): Promise<CredentialCheck<{ principal: Principal; agent: Agent }>> {
    const url = URL.parse(resource)
    // Tokens are never issued for such an origin, whatever host a request names
    if (!url || !isSecureOrigin(url)) return { result: BAD_TOKEN }
    const grant = await store.find(url.origin, token)
    if (!grant || !(now() < grant.expiresAt)) return { result: BAD_TOKEN }
    const { agent } = grant
    if (agent.toolset === undefined && readUrlToolset(resource) !== undefined) return { result: BAD_TOKEN }
    const { result, expiresAt = Infinity } = await loadPrincipal(agent.authenticatedBy)
    return {
      result: result.ok ? ok({ agent, principal: toAgentPrincipal(result.value, agent) }) : result,
      expiresAt: Math.min(grant.expiresAt, expiresAt),
    }
  }

  return {
    authenticate,

    list: store.list,

    /**
     * Removes a new agent if its user's access ended while it was being stored: it must not work when the user comes back.
     * The session may have been cached, so it is checked again. Returns whether the agent stays.
     */
    async confirm(agent: Agent): Promise<boolean> {
      const { result } = await loadPrincipal(agent.authenticatedBy)
      if (!result.ok) await store.remove(agent.holder, agent.id)
      return result.ok
    },

    async remove(holder: Holder, id: string): Promise<boolean> {
      const isRemoved = await store.remove(holder, id)
      // Even if it was removed elsewhere, this isolate may still have it cached
      invalidateWhere(({ agent }) => agent.id === id && formatHolder(agent.holder) === formatHolder(holder))
      return isRemoved
    },

    async removeAll(holder: Holder): Promise<number> {
      const count = await store.removeAll(holder)
      invalidateWhere(({ agent }) => formatHolder(agent.holder) === formatHolder(holder))
      return count
    },

    forgetAgent(id: string): void {
      invalidateWhere(({ agent }) => agent.id === id)
    },

    forget,

    forgetKey(id: string): void {
      invalidateWhere(({ agent }) => agent.owner === `key:${id}`)
    },
  }
}
