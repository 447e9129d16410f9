import { type AgentStore, toAgentPrincipal } from '../../core/access/agent.ts'
import type { KeyStore } from '../../core/access/api-key.ts'
import type { FindMembership } from '../../core/access/directory.ts'
import { toHolder } from '../../core/access/holder.ts'
import { ADMIN, type Principal } from '../../core/access/principal.ts'
import { toKeyPrincipal } from '../../core/access/stored-key.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sessions } from './sessions.ts'

interface ReloadPrincipalDeps {
  readonly hasAdminKey: boolean
  readonly isOpen: boolean
  readonly findKey: KeyStore['findById']
  readonly listAgents: AgentStore['list']
  readonly loadPrincipal: Sessions['loadPrincipal']
  readonly findMembership: FindMembership
  readonly now: () => number
}

const refuse = (reason: string): FailureResult => fail({ type: 'unauthenticated', reason })

/**
 * Returns the current principal of an earlier request, without its credential. For a JWT, only its user is looked up: the
 * rights are those that the token had.
 */
export function createReloadPrincipal(deps: ReloadPrincipalDeps) {
  const isPast = (time: string | undefined) => time !== undefined && !(deps.now() < Date.parse(time))

  async function findAgent(principal: Principal): Promise<Result<Principal>> {
    const { id, owner = id, users } = principal
    const agents = await deps.listAgents(toHolder({ ...principal, id: owner, users }))
    const agent = agents.find((each) => `agent:${each.id}` === id)
    if (!agent || isPast(agent.expires_at)) return refuse("The agent's access has ended")
    const { result } = await deps.loadPrincipal(agent.authenticatedBy)
    return result.ok ? ok(toAgentPrincipal(result.value, agent)) : result
  }

  return async (principal: Principal): Promise<Result<Principal>> => {
    const { id, kind } = principal
    if (kind === 'agent') return findAgent(principal)
    if (kind === 'key') {
      const key = await deps.findKey(id.slice('key:'.length))
      return key && !isPast(key.expires_at) ? ok(toKeyPrincipal(key)) : refuse('The key was removed or has expired')
    }
    if (kind === 'admin') {
      const isAdmin = id === ADMIN.id ? deps.hasAdminKey : deps.isOpen
      return isAdmin ? ok(principal) : refuse('The administrator no longer has access')
    }
    // `person:` or `jwt:`
    const user = id.slice(id.indexOf(':') + 1)
    const membership = await deps.findMembership({ user })
    return membership?.isActive === false ? refuse(`The directory has deactivated '${user}'`) : ok(principal)
  }
}
