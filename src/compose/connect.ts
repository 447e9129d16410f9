import { base64url } from 'jose'
import type { Fetch } from '../core/tool/platform.ts'
import { challenge } from '../connect/metadata.ts'
import type { Door } from '../dialects/mcp/routes.ts'
import type { Config } from '../env.ts'
import type { Gate } from '../http/gate.ts'
import { asFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'

/** Bytes of the document that a client describes itself by. */
const MAX_DOCUMENT = 16_384

/** What clients' documents are fetched with: it guards where requests go, and caps answers. */
export function documentFetch({ allowHttpHosts }: Pick<Config, 'allowHttpHosts'>): Fetch {
  return asFetch(
    createGuardedFetch({
      fetch: (...given) => fetch(...given),
      allowHttpHosts,
      maxResponseBytes: MAX_DOCUMENT,
    }),
  )
}

/** 128 random bits, in Base64url. */
export function randomId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(16)))
}

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
