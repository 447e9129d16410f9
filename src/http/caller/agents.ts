import { type Agent, type AgentStore, toAgentPrincipal } from '../../core/access/agent.ts'
import { formatHolder, type Holder } from '../../core/access/holder.ts'
import type { Principal } from '../../core/access/principal.ts'
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
const MAX_HEADER = 8_192

const NO_TOKEN = fail({
  type: 'unauthenticated',
  reason: "OAuth access token required (see 'resource_metadata'). API keys work at '/mcp'",
})
const BAD_TOKEN = fail({ type: 'unauthenticated', reason: 'The access token is not known, has expired or was revoked' })

/** The door of access tokens, each of which counts only at the address that it was made for. */
export function createBearerAuthenticator<T extends { readonly principal: Principal }>(
  now: () => number,
  form: RegExp,
  check: (origin: string, token: string) => Promise<CredentialCheck<T>>,
) {
  const verdicts = createLookupCache(now, 'access token', (credential) => {
    const at = credential.indexOf(' ')
    return check(credential.slice(0, at), credential.slice(at + 1))
  })
  return {
    ...verdicts,
    authenticate(request: Request, mayLookUp?: CheckLookupAllowed): Result<Principal> | Promise<Result<Principal>> {
      const header = request.headers.get('authorization') ?? ''
      const token = header.length <= MAX_HEADER ? form.exec(header)?.[1] : undefined
      if (token === undefined) return NO_TOKEN
      const found = verdicts.of(`${getOrigin(request.url)} ${token}`, mayLookUp)
      return found instanceof Promise ? found.then(toPrincipalResult) : toPrincipalResult(found)
    },
  }
}

/** An agent may never do more than the user who let it act may do now. */
export function createAgentAuthenticator({ store, loadPrincipal, now }: AgentsOptions) {
  const { authenticate, forget, invalidateWhere } = createBearerAuthenticator(now, TOKEN, find)

  async function find(origin: string, token: string): Promise<CredentialCheck<{ principal: Principal; agent: Agent }>> {
    const place = URL.parse(origin)
    // No token is made for such a place, whatever host a request names
    if (!place || !isSecureOrigin(place)) return { result: BAD_TOKEN }
    const found = await store.find(origin, token)
    if (!found || !(now() < found.expiresAt)) return { result: BAD_TOKEN }
    const { agent } = found
    const { result, expiresAt = Infinity } = await loadPrincipal(agent.by)
    return {
      result: result.ok ? ok({ agent, principal: toAgentPrincipal(result.value, agent) }) : result,
      expiresAt: Math.min(found.expiresAt, expiresAt),
    }
  }

  return {
    authenticate,

    list: store.list,

    async remove(holder: Holder, id: string): Promise<boolean> {
      const removed = await store.remove(holder, id)
      // Even if it was removed elsewhere, a verdict may live on here
      invalidateWhere(({ agent }) => agent.id === id && formatHolder(agent.holder) === formatHolder(holder))
      return removed
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

/** Read from the text, since parsing a URL costs each call. */
function getOrigin(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
}
