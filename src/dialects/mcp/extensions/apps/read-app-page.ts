import { type Failure, type FailureType, isUnknownTool, type Result } from '../../../../core/failure/failure.ts'
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
  exchange: McpExchange,
): Promise<readonly JsonObject[] | McpError | undefined> {
  const page = await readThroughTool(readPage, /^ui:\/\/([^/]+\/[^/]+)/.exec(uri)?.[1], exchange)
  if (!page?.ok) return page && toReadError(page.failure)
  return [{ uri, mimeType: PAGE_TYPE, text: page.value.html, _meta: { ui: page.value.ui } }]
}

/** `path` is the part 'Toolkit/tool' of an address. Undefined for what the caller may not call. */
export async function readThroughTool<T>(
  read: (...request: Parameters<ReadPage>) => Promise<Result<T>>,
  path = '',
  { context }: McpExchange,
): Promise<Result<T> | undefined> {
  const toolRef = toIdRef(path.replace('/', '.'))
  const callContext = readCallContext(context.request)
  if (toolRef.kind !== 'id' || !isInToolset(context.toolset, toolRef) || !callContext.ok) return undefined
  const result = await read(toolRef, createCaller(context, 'mcp'), callContext.value)
  return result.ok || !(isUnknownTool(result.failure) || HIDDEN.has(result.failure.type)) ? result : undefined
}

export function toReadError(failure: Failure): McpError {
  return { kind: 'error', code: INTERNAL_ERROR, message: formatFailure(failure), status: 200 }
}
