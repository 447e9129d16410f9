import type { Holder } from './holder.ts'
import { hasScope, patternsFor, shareOwner, type Principal, type Scope } from './principal.ts'
import type { IdentityProof } from './session.ts'

/** An agent that a person authorized to act for them. Times are ISO 8601 in UTC. */
export interface Agent {
  readonly id: string
  readonly authenticatedBy: IdentityProof
  readonly owner: string
  /** In whose list it is. */
  readonly holder: Holder
  /** `host` is where people are sent back to with a code. */
  readonly client: { readonly id: string; readonly name: string; readonly host: string }
  readonly toolkits: readonly string[]
  /** The name of a toolset, beyond which the agent sees and calls nothing. */
  readonly toolset?: string | undefined
  readonly scopes: readonly Scope[]
  readonly origin: string
  readonly created_at: string
  readonly expires_at: string
}

export interface ListedAgent extends Agent {
  readonly used_at?: string
}

export interface AgentStore {
  /** By access token; `expiresAt` in milliseconds since 1970. */
  find(origin: string, token: string): Promise<{ readonly agent: Agent; readonly expiresAt: number } | undefined>
  list(holder: Holder): Promise<readonly ListedAgent[]>
  remove(holder: Holder, id: string): Promise<boolean>
  /** Also removes agents that have not redeemed their code yet. Gives how many. */
  removeAll(holder: Holder): Promise<number>
}

export const AGENT_SCOPES = ['tools:read', 'tools:call'] as const satisfies readonly Scope[]

/** An owner who may use everything names a toolkit by choosing it; for others, only their own patterns name tools. */
export function toAgentPrincipal(
  owner: Principal,
  { id, client, toolkits, toolset, scopes }: Pick<Agent, 'id' | 'client' | 'toolkits' | 'toolset' | 'scopes'>,
): Principal {
  const restrictedTo = toolkits.map((toolkit) => `${toolkit}.*`)
  const isAdmin = hasScope(owner, 'admin')
  const expandPatterns = (patterns: readonly string[]) => (isAdmin && patterns.includes('*') ? restrictedTo : patterns)
  const { users, limits, lock } = owner
  const toolsets = [...new Set([owner.toolset ?? [], toolset ?? []].flat())]
  return {
    id: `agent:${id}`,
    name: client.name,
    kind: 'agent',
    scopes: AGENT_SCOPES.filter((scope) => scopes.includes(scope) && hasScope(owner, scope)),
    tools: Object.fromEntries(AGENT_SCOPES.map((scope) => [scope, expandPatterns(patternsFor(owner, scope))])),
    // Of two toolsets neither may be left out, and a principal has one
    restrictedTo: toolsets.length > 1 ? [] : restrictedTo,
    ...(toolsets[0] === undefined ? {} : { toolset: toolsets[0] }),
    ...(lock === undefined ? {} : { lock }),
    users,
    owner: shareOwner(owner),
    ...(limits && { limits }),
  }
}
