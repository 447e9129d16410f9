import { type AgentStore, toAgentPrincipal } from '../../core/access/agent.ts'
import type { KeyStore } from '../../core/access/api-key.ts'
import type { FindMembership } from '../../core/access/directory.ts'
import { toHolder } from '../../core/access/holder.ts'
import { ADMIN, type Principal } from '../../core/access/principal.ts'
import { toKeyPrincipal } from '../../core/access/stored-key.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sessions } from './sessions.ts'

interface ReloadPrincipalDeps {
  readonly config: { readonly adminKey: string | undefined; readonly access: string }
  readonly stores: {
    readonly keys: Pick<KeyStore, 'findById'>
    readonly connect: Pick<AgentStore, 'list'>
    readonly access: { readonly findMembership: FindMembership }
  }
  readonly authentication: { readonly sessions: Pick<Sessions, 'loadPrincipal'> }
}

const refuse = (reason: string): FailureResult => fail({ type: 'unauthenticated', reason })

/**
 * Returns the current principal of an earlier request, without its credential. For a JWT, only the user is looked up: the
 * token's rights are kept.
 */
export function createReloadPrincipal({ config, stores, authentication }: ReloadPrincipalDeps) {
  const isPast = (time: string | undefined) => time !== undefined && !(Date.now() < Date.parse(time))

  async function findAgent(principal: Principal): Promise<Result<Principal>> {
    const { id, owner = id, users } = principal
    const agents = await stores.connect.list(toHolder({ ...principal, id: owner, users }))
    const agent = agents.find((each) => `agent:${each.id}` === id)
    if (!agent || isPast(agent.expires_at)) return refuse("The agent's access has ended")
    const { result } = await authentication.sessions.loadPrincipal(agent.authenticatedBy)
    return result.ok ? ok(toAgentPrincipal(result.value, agent)) : result
  }

  return async (principal: Principal): Promise<Result<Principal>> => {
    const { id, kind } = principal
    if (kind === 'agent') return findAgent(principal)
    if (kind === 'key') {
      const key = await stores.keys.findById(id.slice('key:'.length))
      return key && !isPast(key.expires_at) ? ok(toKeyPrincipal(key)) : refuse('The key was removed or has expired')
    }
    if (kind === 'admin') {
      const isAdmin = id === ADMIN.id ? config.adminKey !== undefined : config.access === 'open'
      return isAdmin ? ok(principal) : refuse('The administrator no longer has access')
    }
    // `person:` or `jwt:`
    const user = id.slice(id.indexOf(':') + 1)
    const membership = await stores.access.findMembership({ user })
    return membership?.isActive === false ? refuse(`The directory has deactivated '${user}'`) : ok(principal)
  }
}
