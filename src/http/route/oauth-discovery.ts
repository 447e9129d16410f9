/**
 * Where MCP clients look for an authorization server, below the root and below `/mcp` (MCP 2025-11-25, "Authorization
 * Server Discovery"), and the addresses that revisions before 2025-06-18 have them take for granted.
 */
const DISCOVERY = /^(?:\/mcp)?\/(?:\.well-known\/.+|register|authorize|token)$/

/**
 * Whether a path is one that only a client asks for that looks for OAuth. What is not there must be `404` to such a client, not
 * `401`: it takes a `401` for an authorization server that refuses it, and stops sending the key that it was given.
 */
export function isDiscovery(path: string): boolean {
  return DISCOVERY.test(path)
}
