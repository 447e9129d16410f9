/** The resource (RFC 8707) of agents: of all tools, or of one toolset. */
export function formatAgentResource(origin: string, toolset?: string): string {
  return `${origin}/connect/mcp${toolset === undefined ? '' : `/t/${encodeURIComponent(toolset)}`}`
}

export const formatUnknownToolset = (name: string) => `There is no toolset '${name.slice(0, 100)}' here`
