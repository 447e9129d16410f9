import { challenge } from '../connect/metadata.ts'
import type { Door } from '../dialects/mcp/routes.ts'
import type { Gate } from '../http/route/gate.ts'

/**
 * Where MCP is spoken: `/mcp` for keys, which says nothing of OAuth in its headers, since clients that find OAuth stop sending
 * the key that they were given; and `/connect/mcp` for agents that sign people in.
 */
export function mcpDoors(forKeys: Gate, forAgents: Gate): readonly Door[] {
  return [
    {
      path: '/mcp',
      gate: forKeys,
      challenge: (request) => ({
        hint: `. Agents that sign people in, and have no key, connect to '${new URL(request.url).origin}/connect/mcp'`,
      }),
    },
    { path: '/connect/mcp', gate: forAgents, challenge: (request) => ({ header: challenge(request) }) },
  ]
}
