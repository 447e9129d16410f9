import { createMcpExtensions, type McpExtensions } from '../dialects/mcp/extensions/extension.ts'
import { registerResources } from '../dialects/mcp/extensions/resources/register.ts'
import type { Deployment } from './deployment.ts'

/** The extensions of MCP that this deployment has, each joined by its `register…` function. */
export function composeMcpExtensions(_deployment: Deployment): McpExtensions {
  const extensions = createMcpExtensions()
  registerResources(extensions)
  return extensions
}
