import type { ReadPage } from '../../../../core/page/read-page.ts'
import { PAGE_EXTENSION } from '../../../../core/page/page.ts'
import type { McpExtensions } from '../extension.ts'

/** MCP Apps: pages that hosts show beside the outputs of tools. Lists leave them out for clients that do not declare it. */
export function registerApps(extensions: McpExtensions, { readPage }: { readonly readPage: ReadPage }): void {
  extensions.register({
    id: PAGE_EXTENSION,
    settings: {},
    resources: {
      scheme: 'ui:',
      // Tools name their pages, so no list needs to
      list: async () => [],
      read: async (...request) => (await import('./read-app-page.ts')).readAppPage(readPage, ...request),
    },
  })
}
