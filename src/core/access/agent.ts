import { hasScope, type Principal, type Scope } from './principal.ts'
import type { Session } from './session.ts'

/** An agent that a person authorized to act for them, through the authorization server. */
export interface Agent {
  readonly id: string
  readonly by: Session['by']
  /** The principal who authorized it. */
  readonly owner: string
  /** Whose it is in lists: the owner's one user, else the owner's principal. */
  readonly user: string
  readonly client: AgentClient
  readonly toolkits: readonly string[]
  readonly scopes: readonly Scope[]
  /** Scheme, host and port where it is valid. */
  readonly origin: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** ISO 8601, UTC. */
  readonly expires_at: string
}

/** The software that asks, by its own account. */
export interface AgentClient {
  readonly id: string
  readonly name: string
  /** The host that people are sent back to with a code. */
  readonly host: string
}

export interface ListedAgent extends Agent {
  /** Its last use, to the hour; ISO 8601, UTC. */
  readonly used_at?: string
}

/** Never stale. */
export interface AgentStore {
  /** By access token; `expiresAt` in milliseconds since 1970. */
  find(origin: string, token: string): Promise<{ readonly agent: Agent; readonly expiresAt: number } | undefined>
  list(user: string): Promise<readonly ListedAgent[]>
  /** False where the user has no such agent. */
  remove(user: string, id: string): Promise<boolean>
}

/** The scopes that an agent may have. */
export const AGENT_SCOPES = ['tools:read', 'tools:call'] as const satisfies readonly Scope[]

/**
 * The principal of an agent: its owner's users, and the toolkits and scopes it was given as far as the owner still has
 * them. An owner who may use everything names a toolkit by choosing it; for others, only their own patterns name tools.
 */
export function principalOfAgent(
  owner: Principal,
  { id, toolkits, scopes }: Pick<Agent, 'id' | 'toolkits' | 'scopes'>,
) {
  const within = toolkits.map((toolkit) => `${toolkit}.*`)
  const isAdmin = hasScope(owner, 'admin')
  const named = (patterns: readonly string[]) => (isAdmin && patterns.includes('*') ? within : patterns)
  const { tools, toolsFor, users, limits } = owner
  const principal: Principal = {
    id: `agent:${id}`,
    kind: 'agent',
    scopes: AGENT_SCOPES.filter((scope) => scopes.includes(scope) && hasScope(owner, scope)),
    tools: named(tools),
    ...(toolsFor && {
      toolsFor: Object.fromEntries(Object.entries(toolsFor).map(([scope, patterns]) => [scope, named(patterns)])),
    }),
    within,
    users,
    ...(limits && { limits, limitsOf: owner.limitsOf ?? owner.id }),
  }
  return principal
}
