/** Returns the resource (RFC 8707) of agents: for all tools, or for one toolset. */
export function formatAgentResource(origin: string, toolset?: string): string {
  return `${origin}/connect/mcp${toolset === undefined ? '' : `/t/${encodeURIComponent(toolset)}`}`
}

export const formatUnknownToolset = (name: string) => `There is no toolset '${name.slice(0, 100)}' here`
