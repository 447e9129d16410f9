import type { McpExtension } from '../extension.ts'
import type { ServerResourcesDeps } from './server-resources.ts'

/** Resources, a part of MCP itself: those of imported servers, and those that other extensions have under their schemes. */
export function registerResources(extensions: McpExtension[], servers?: ServerResourcesDeps): void {
  const load = () => import('./methods.ts')
  const loadServers = () => import('./server-resources.ts')
  extensions.push({
    capabilities: { resources: {} },
    methods: {
      'resources/list': async (...request) => (await load()).listResources(extensions, ...request),
      'resources/templates/list': async (_, exchange) => (await load()).listTemplates(exchange),
      'resources/read': async (...request) => (await load()).readResource(extensions, ...request),
    },
    ...(servers && {
      resources: {
        scheme: 'switchboard:',
        list: async (exchange) => (await loadServers()).listServerResources(servers, exchange),
        read: async (...request) => (await loadServers()).readServerResource(servers, ...request),
      },
    }),
  })
}
