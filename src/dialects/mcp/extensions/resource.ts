/** Reads resources through tools, and encodes the responses, for all extensions with resources. */
import { type Failure, type FailureType, isUnknownTool, type Result } from '../../../core/failure/failure.ts'
import type { ReadPage } from '../../../core/page/read-page.ts'
import { toIdRef } from '../../../core/tool/tool-ref.ts'
import { createCaller, readCallContext } from '../../../http/route/incoming-call.ts'
import { formatFailure } from '../failure.ts'
import type { McpExchange } from '../tools-call.ts'
import { isInToolset } from '../toolset.ts'
import { INTERNAL_ERROR, type McpError, type McpResult } from '../wire.ts'

const HIDDEN: ReadonlySet<FailureType> = new Set(['forbidden', 'tool-not-executable', 'version-unavailable'])

/** `path` is the 'Toolkit/tool' part of an address. Returns undefined if the caller may not call the tool. */
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

export function toCacheable(fields: object, { revision }: McpExchange): McpResult {
  return { kind: 'tool-list', json: revision.formatToolList(JSON.stringify(fields).slice(1, -1)) }
}
