import type { ReadPage } from '../../../../core/page/read-page.ts'
import { PAGE_EXTENSION, PAGE_TYPE } from '../../../../core/page/page.ts'
import type { McpExtension } from '../extension.ts'

/** MCP Apps: pages that hosts show beside tool output. Lists omit them for clients that do not declare the extension. */
export function registerApps(extensions: McpExtension[], { readPage }: { readonly readPage: ReadPage }): void {
  extensions.push({
    id: PAGE_EXTENSION,
    // Pages are not listed, because tools refer to them
    resources: {
      scheme: 'ui:',
      /** Reads `ui://Toolkit/tool@version`, which may end with part of the page's digest. */
      async read(uri, exchange) {
        const { readThroughTool, toReadError } = await import('../resource.ts')
        const page = await readThroughTool(readPage, /^ui:\/\/([^/]+\/[^/]+)/.exec(uri)?.[1], exchange)
        if (!page?.ok) return page && toReadError(page.failure)
        return [{ uri, mimeType: PAGE_TYPE, text: page.value.html, _meta: { ui: page.value.ui } }]
      },
    },
  })
}
