import type { ReadPage } from '../../../../core/page/read-page.ts'
import { PAGE_EXTENSION } from '../../../../core/page/page.ts'
import type { McpExtension } from '../extension.ts'

/** MCP Apps: pages that hosts show beside tool output. Lists omit them for clients that do not declare the extension. */
export function registerApps(extensions: McpExtension[], { readPage }: { readonly readPage: ReadPage }): void {
  extensions.push({
    id: PAGE_EXTENSION,
    // Pages are not listed, because tools refer to them
    resources: {
      scheme: 'ui:',
      read: async (...request) => (await import('./read-app-page.ts')).readAppPage(readPage, ...request),
    },
  })
}
