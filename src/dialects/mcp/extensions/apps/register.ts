import type { ReadPage } from '../../../../core/page/read-page.ts'
import { PAGE_EXTENSION } from '../../../../core/page/page.ts'
import type { McpExtension } from '../extension.ts'

/** MCP Apps: pages that hosts show beside the outputs of tools. Lists leave them out for clients that do not declare it. */
export function registerApps(extensions: McpExtension[], { readPage }: { readonly readPage: ReadPage }): void {
  extensions.push({
    id: PAGE_EXTENSION,
    // Tools name their pages, so no list needs to
    resources: {
      scheme: 'ui:',
      read: async (...request) => (await import('./read-app-page.ts')).readAppPage(readPage, ...request),
    },
  })
}
