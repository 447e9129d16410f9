import { PAGE_TYPE } from '../../../../core/page/page.ts'
import type { ReadPage } from '../../../../core/page/read-page.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import type { McpExchange } from '../../tools-call.ts'
import type { McpError } from '../../wire.ts'
import { readThroughTool, toReadError } from '../resource.ts'

/** Reads `ui://Toolkit/tool@version`, which may end with part of the page's digest. Undefined if it may not be called. */
export async function readAppPage(
  readPage: ReadPage,
  uri: string,
  exchange: McpExchange,
): Promise<readonly JsonObject[] | McpError | undefined> {
  const page = await readThroughTool(readPage, /^ui:\/\/([^/]+\/[^/]+)/.exec(uri)?.[1], exchange)
  if (!page?.ok) return page && toReadError(page.failure)
  return [{ uri, mimeType: PAGE_TYPE, text: page.value.html, _meta: { ui: page.value.ui } }]
}
