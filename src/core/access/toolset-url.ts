/** `/mcp/t/{name}` and `/connect/mcp/t/{name}`: the MCP server limited to one toolset. */
const TOOLSET_URL = /^[^?#]*\/mcp\/t\/([^/?#]+)$/

/** Returns the toolset's name from a URL without a query. The name is not validated. */
export function readUrlToolset(url: string): string | undefined {
  return TOOLSET_URL.exec(url)?.[1]
}

export function stripQuery(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
