import type { ResourceList } from '../../../../core/call/runner.ts'
import type { McpExtension, McpMethod } from '../extension.ts'
import type { ServerResourcesDeps } from './server-resources.ts'

/** Resources, a part of MCP itself: resources of imported servers, and of other extensions by their URI schemes. */
export function registerResources(extensions: McpExtension[], servers: ServerResourcesDeps): void {
  const load = () => import('./methods.ts')
  const loadServers = () => import('./server-resources.ts')
  const listMethod =
    (list: ResourceList): McpMethod =>
    async (_, exchange) =>
      (await load()).listResources(extensions, list, exchange)
  extensions.push({
    capabilities: { resources: {} },
    methods: {
      'resources/list': listMethod('resources'),
      'resources/templates/list': listMethod('resourceTemplates'),
      'resources/read': async (...request) => (await load()).readResource(extensions, ...request),
    },
    resources: {
      scheme: 'switchboard:',
      list: async (...request) => (await loadServers()).listServerResources(servers, ...request),
      read: async (...request) => (await loadServers()).readServerResource(servers, ...request),
    },
  })
}
