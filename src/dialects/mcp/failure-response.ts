import { toFailureMeta } from '../../core/failure/failure-meta.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { toResourceLink } from '../../core/call/storable-content.ts'
import type { Content } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { failureHeaders } from '../../http/response/json-response.ts'
import { toContentBlock } from './content-block.ts'
import { formatFailure, MCP_FAILURES } from './failure.ts'
import type { Revision } from './revisions/revision.ts'
import { createMissingExtension, type McpError, type McpResult, TASKS_EXTENSION } from './wire.ts'

const HOW_TO_CONNECT = '. What to copy for each agent is at /docs/agents'

/** Returns the JSON-RPC error of a failure outside calls. A tool's failure cannot occur there, so it is a defect. */
export function toMcpError(failure: Failure): McpError {
  const entry = MCP_FAILURES[failure.type]
  const mapping = entry === 'result' ? MCP_FAILURES.internal : entry
  const needsSetupHint = failure.type === 'unauthenticated' || failure.type === 'method-not-allowed'
  const message = formatFailure(failure) + (needsSetupHint ? HOW_TO_CONNECT : '')
  return { kind: 'error', ...mapping, message, headers: failureHeaders(failure) }
}

/** Returns the response to a failed operation: a JSON-RPC error, or for a tool's failure, a result with `isError`. */
export function toMcpFailure(failure: Failure, revision: Revision): McpResult {
  const mapping = MCP_FAILURES[failure.type]
  if (mapping === 'result') return toErrorResult(listContent(failure), revision, toFailureMeta(failure))
  if (failure.type === 'tool-not-executable' && failure.needsTask) return createMissingExtension(TASKS_EXTENSION)
  const status = revision.statuses[failure.type] ?? mapping.status
  const headers = failureHeaders(failure)
  return { kind: 'error', code: mapping.code, message: formatFailure(failure), status, headers }
}

function listContent(failure: Failure): readonly Content[] {
  if (failure.type === 'tool-failed' && failure.content) return failure.content
  const artifact =
    failure.type === 'output-elsewhere' || failure.type === 'select-failed' ? failure.artifact : undefined
  return [{ type: 'text', text: formatFailure(failure) }, ...(artifact ? [toResourceLink(artifact)] : [])]
}

/** Creates a result with `isError`, which clients show to their model. */
export function toErrorResult(content: string | readonly Content[], revision: Revision, meta?: JsonObject): McpResult {
  const blocks: readonly Content[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return revision.createResult({ content: blocks.map(toContentBlock), isError: true }, meta)
}
