/** MCP 2025-11-25, "Authorization Server Discovery", and the addresses that revisions before 2025-06-18 assume. */
const DISCOVERY = /^(?:\/mcp)?\/(?:\.well-known\/.+|register|authorize|token)$/

/** Must be 404 where there is nothing: a client takes 401 for an authorization server that refuses it, and stops sending its key. */
export function isDiscovery(path: string): boolean {
  return DISCOVERY.test(path)
}
