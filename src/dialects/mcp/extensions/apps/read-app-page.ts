import { type FailureType, isUnknownTool } from '../../../../core/failure/failure.ts'
import { PAGE_TYPE } from '../../../../core/page/page.ts'
import type { ReadPage } from '../../../../core/page/read-page.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import { toIdRef } from '../../../../core/tool/tool-ref.ts'
import { createCaller, readCallContext } from '../../../../http/route/incoming-call.ts'
import { formatFailure } from '../../failure.ts'
import type { McpExchange } from '../../tools-call.ts'
import { isInToolset } from '../../toolset.ts'
import { INTERNAL_ERROR, type McpError } from '../../wire.ts'

const HIDDEN: ReadonlySet<FailureType> = new Set(['forbidden', 'tool-not-executable', 'version-unavailable'])

/** Reads `ui://Toolkit/tool@version`, which may end with a part of the page's digest. Undefined for what the caller may not call. */
export async function readAppPage(
  readPage: ReadPage,
  uri: string,
  { context }: McpExchange,
): Promise<readonly JsonObject[] | McpError | undefined> {
  const [, toolkit = '', tool = ''] = /^ui:\/\/([^/]+)\/([^/]+)/.exec(uri) ?? []
  const toolRef = toIdRef(`${toolkit}.${tool}`)
  const callContext = readCallContext(context.request)
  if (toolRef.kind !== 'id' || !isInToolset(context.toolset, toolRef) || !callContext.ok) return undefined
  const page = await readPage(toolRef, createCaller(context, 'mcp'), callContext.value)
  if (page.ok) return [{ uri, mimeType: PAGE_TYPE, text: page.value.html, _meta: { ui: page.value.ui } }]
  const { failure } = page
  const isMissing = isUnknownTool(failure) || HIDDEN.has(failure.type)
  return isMissing ? undefined : { kind: 'error', code: INTERNAL_ERROR, message: formatFailure(failure), status: 200 }
}
