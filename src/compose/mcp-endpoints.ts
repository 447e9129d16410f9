import { wwwAuthenticate } from '../connect/metadata.ts'
import { formatUnknownToolset } from '../core/access/agent-resource.ts'
import type { Toolset, ToolsetStore } from '../core/access/toolset.ts'
import { readUrlToolset, stripQuery } from '../core/access/toolset-url.ts'
import type { McpEndpoint } from '../dialects/mcp/routes.ts'
import type { Authentication } from './authentication.ts'

type Toolsets = Pick<ToolsetStore, 'find'>

/** `/mcp` does not announce OAuth: clients that find it stop sending their key. */
export function createMcpEndpoints(
  { authorize, authorizeAgent, authorizeToolPage }: Authentication,
  toolsets: Toolsets,
): readonly McpEndpoint[] {
  const forKeys = {
    authorize,
    challenge({ url }: Request) {
      const { origin, pathname } = new URL(url)
      return { hint: `. Agents that sign people in, and have no key, connect to '${origin}/connect${pathname}'` }
    },
  }
  const forAgents = {
    authorize: authorizeAgent,
    challenge: (request: Request) => ({ header: wwwAuthenticate(request) }),
    async checkToolset({ url }: Request) {
      const name = readUrlToolset(stripQuery(url))
      if (name === undefined || (await findEnabledToolset(toolsets, name))) return undefined
      return { type: 'not-found', message: formatUnknownToolset(name) } as const
    },
  }
  return [
    // For tools' pages in the console: they call as the person who is signed in
    { path: '/console/mcp', isForPages: true, authorize: authorizeToolPage, challenge: () => ({}) },
    { path: '/mcp', ...forKeys },
    { path: '/mcp/t/:toolset', ...forKeys },
    { path: '/connect/mcp', ...forAgents },
    { path: '/connect/mcp/t/:toolset', ...forAgents },
  ]
}

export async function findEnabledToolset(toolsets: Toolsets, name: string): Promise<Toolset | undefined> {
  const toolset = await toolsets.find(name)
  return toolset?.definition.enabled ? toolset : undefined
}
