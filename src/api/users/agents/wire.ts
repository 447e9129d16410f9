import type { ListedAgent } from '../../../core/access/agent.ts'

/** Never the token, nor what it was let in by. */
export function encodeAgent({
  id,
  owner,
  client,
  toolkits,
  scopes,
  origin,
  created_at,
  expires_at,
  used_at,
}: ListedAgent) {
  return { id, principal: owner, client, toolkits, scopes, origin, created_at, expires_at, ...(used_at && { used_at }) }
}

export interface AgentAnswers {
  'GET /users/:user/agents': { readonly items: readonly ReturnType<typeof encodeAgent>[] }
  'DELETE /users/:user/agents': undefined
  'DELETE /users/:user/agents/:id': undefined
}
