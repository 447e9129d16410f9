import type { Holder } from './holder.ts'
import { hasScope, patternsFor, shareOwner, type Principal, type Scope } from './principal.ts'
import type { IdentityProof } from './session.ts'

/** An agent that a person authorized to act for them. Times are ISO 8601 in UTC. */
export interface Agent {
  readonly id: string
  readonly authenticatedBy: IdentityProof
  readonly owner: string
  /** The holder whose list contains the agent. */
  readonly holder: Holder
  /** `host` is the host that people are redirected to with a code. */
  readonly client: { readonly id: string; readonly name: string; readonly host: string }
  readonly toolkits: readonly string[]
  /** The name of the only toolset that the agent can see and call. */
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
  /** Finds by access token; `expiresAt` is in milliseconds since 1970. */
  find(origin: string, token: string): Promise<{ readonly agent: Agent; readonly expiresAt: number } | undefined>
  list(holder: Holder): Promise<readonly ListedAgent[]>
  remove(holder: Holder, id: string): Promise<boolean>
  /** Also removes agents that have not redeemed their code yet. Returns the number removed. */
  removeAll(holder: Holder): Promise<number>
}

export const AGENT_SCOPES = ['tools:read', 'tools:call'] as const satisfies readonly Scope[]

/** Treats chosen toolkits as named if the owner may use everything; otherwise only the owner's patterns name tools. */
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
    // Two toolsets would both have to apply, but a principal has only one
    restrictedTo: toolsets.length > 1 ? [] : restrictedTo,
    ...(toolsets[0] === undefined ? {} : { toolset: toolsets[0] }),
    ...(lock === undefined ? {} : { lock }),
    users,
    owner: shareOwner(owner),
    ...(limits && { limits }),
  }
}
