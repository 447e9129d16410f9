/** `/mcp/t/{name}` and `/connect/mcp/t/{name}`: the MCP server as one toolset shows it. */
const TOOLSET_URL = /^[^?#]*\/mcp\/t\/([^/?#]+)$/

/** The toolset that a URL without its query names. The name is as it is written there, whether or not it is one. */
export function readUrlToolset(url: string): string | undefined {
  return TOOLSET_URL.exec(url)?.[1]
}

export function stripQuery(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
