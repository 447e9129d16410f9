import type { McpExtensions } from '../extension.ts'

/** Resources, a part of MCP itself. Other extensions have them: each says under which scheme. */
export function registerResources(extensions: McpExtensions): void {
  const load = () => import('./methods.ts')
  extensions.register({
    capabilities: { resources: {} },
    methods: {
      'resources/list': async (...request) => (await load()).listResources(extensions, ...request),
      'resources/templates/list': async (_, exchange) => (await load()).listTemplates(exchange),
      'resources/read': async (...request) => (await load()).readResource(extensions, ...request),
    },
  })
}
