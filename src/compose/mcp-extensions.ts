import type { McpExtension } from '../dialects/mcp/extensions/extension.ts'
import { registerApps } from '../dialects/mcp/extensions/apps/register.ts'
import { registerEvents } from '../dialects/mcp/extensions/events/register.ts'
import { registerResources } from '../dialects/mcp/extensions/resources/register.ts'
import { registerSkills } from '../dialects/mcp/extensions/skills/register.ts'
import { registerTasks } from '../dialects/mcp/extensions/tasks/register.ts'
import type { Deployment } from './deployment.ts'
import { openTasks } from './tasks.ts'

/** The MCP extensions of this deployment, each added by its `register…` function. */
export function composeMcpExtensions(deployment: Deployment): readonly McpExtension[] {
  const { calls, stores } = deployment
  const extensions: McpExtension[] = []
  registerTasks(extensions, { tasks: openTasks(deployment), resolver: calls.resolver })
  registerResources(extensions, { ...calls, catalog: stores.registry.catalog })
  registerSkills(extensions, stores.registry.stub)
  registerApps(extensions, calls)
  registerEvents(extensions, stores.loadEvents)
  return extensions
}
