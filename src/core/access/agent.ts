import { hasScope, type Principal, type Scope } from './principal.ts'
import type { Session } from './session.ts'

/** An agent that somebody let act for them, at the door where agents sign people in. */
export interface Agent {
  readonly id: string
  /** On whose word it acts. */
  readonly by: Session['by']
  /** The principal who let it. */
  readonly owner: string
  /** Whose it is in lists: the user of whoever let it, or the principal where that is not one user. */
  readonly user: string
  readonly client: AgentClient
  readonly toolkits: readonly string[]
  readonly scopes: readonly Scope[]
  /** Where it counts: scheme, host and port. */
  readonly origin: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** ISO 8601, UTC. */
  readonly expires_at: string
}

/** The software that asks, as far as it says who it is. */
export interface AgentClient {
  readonly id: string
  readonly name: string
  /** The host that people are sent back to with a code. */
  readonly host: string
}

/** An agent as lists show it. */
export interface ListedAgent extends Agent {
  /** When it last showed its token, to the hour; ISO 8601, UTC. */
  readonly used_at?: string
}

/** Where agents are kept. Its answers are never stale. */
export interface AgentStore {
  /** The agent that an access token is of, and until when that holds, in milliseconds since 1970. */
  find(origin: string, token: string): Promise<{ readonly agent: Agent; readonly expiresAt: number } | undefined>
  list(user: string): Promise<readonly ListedAgent[]>
  /** Ends one of a user's. Whether there was such an agent. */
  remove(user: string, id: string): Promise<boolean>
}

/** What an agent may have of anybody's scopes. */
export const AGENT_SCOPES = ['tools:read', 'tools:call'] as const satisfies readonly Scope[]

/**
 * The principal that an agent is while whoever let it may do so much: it acts for the same users, with the toolkits and scopes
 * that it was let have, and never with a right that they have not themselves. Who may use everything names a toolkit by
 * choosing it; for others, only their own patterns name tools.
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
