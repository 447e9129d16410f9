import type { McpExtension } from '../dialects/mcp/extensions/extension.ts'
import { registerApps } from '../dialects/mcp/extensions/apps/register.ts'
import { registerEvents } from '../dialects/mcp/extensions/events/register.ts'
import { registerResources } from '../dialects/mcp/extensions/resources/register.ts'
import { registerSkills } from '../dialects/mcp/extensions/skills/register.ts'
import { registerTasks } from '../dialects/mcp/extensions/tasks/register.ts'
import { createMcpRoutes, respondWithFailure } from '../dialects/mcp/routes.ts'
import { createStateSeal } from '../storage/sealing/state-seal.ts'
import type { Deployment } from './deployment.ts'
import { createMcpEndpoints } from './mcp-endpoints.ts'
import { openTasks } from './tasks.ts'

/** Creates the MCP routes with this deployment's extensions, each added by its `register…` function. */
export function composeMcpRoutes(deployment: Deployment) {
  const { config, stores, authentication, calls, version, writeAuditEntry } = deployment
  const { catalog, stub, toolsets } = stores.registry
  const extensions: McpExtension[] = []
  registerTasks(extensions, { tasks: openTasks(deployment), resolver: calls.resolver })
  registerResources(extensions, { ...calls, catalog })
  registerSkills(extensions, stub)
  registerApps(extensions, calls)
  registerEvents(extensions, async () => ({ subscriptions: await stores.loadEvents(), writeAuditEntry }))
  const routes = createMcpRoutes({
    ...calls,
    catalog,
    endpoints: createMcpEndpoints(authentication, toolsets),
    origins: config.allowOrigins,
    seal: createStateSeal({ sealer: stores.deploymentKeys.sealer('state'), now: Date.now }),
    serverInfo: { name: 'switchboard', title: 'Switchboard', version },
    extensions,
  })
  return { routes, respond: respondWithFailure }
}
