import { isJsonObject } from '../../../core/tool/json.ts'
import { INVALID_REQUEST, type McpError, type McpNotification, type McpRequest } from '../wire.ts'
import type { Revision } from './revision.ts'
import { VERSIONS_UNTIL_2025 } from './until-2025-11-25.ts'
import { findEnvelopeError, findMethodMismatch, createHeaderMismatch } from './2026-07-28.ts'
import { createUnsupportedVersion, VERSION_KEY, VERSIONS_FROM_2026 } from './2026-07-28.ts'

export interface Revisions {
  readonly beforeNovember2025: Revision
  readonly of2025November: Revision
  readonly from2026: Revision
}

/** MCP 2026-07-28, "Versioning". A message without a version, such as `initialize`, belongs to an older revision. */
export function negotiateRevision(
  headers: Headers,
  message: McpRequest | McpNotification,
  revisions: Revisions,
): Revision | McpError {
  const { from2026 } = revisions
  const header = headers.get('mcp-protocol-version')
  const { _meta } = message.params
  const namesVersion = isJsonObject(_meta) && _meta[VERSION_KEY] !== undefined
  if (!namesVersion && (header === null || !VERSIONS_FROM_2026.includes(header))) {
    const olderRevision = revisionUntil2025(header, revisions)
    return olderRevision ?? createUnsupportedVersion(header ?? '', [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025])
  }
  if (message.kind === 'notification')
    return (headers.has('mcp-method') ? findMethodMismatch(headers, message.method) : undefined) ?? from2026
  if (!namesVersion && message.method === 'initialize')
    return createHeaderMismatch(`The header 'MCP-Protocol-Version' says '${header}', which has no 'initialize'`)
  return findEnvelopeError(headers, message) ?? from2026
}

/** No revision from 2026 on has batches (MCP 2025-03-26, "Batching"). */
export function negotiateBatchRevision(headers: Headers, revisions: Revisions): Revision | McpError {
  const revision = revisionUntil2025(headers.get('mcp-protocol-version'), revisions)
  return revision ?? { kind: 'error', code: INVALID_REQUEST, message: 'This revision has no batches', status: 400 }
}

/** `initialize` has no header, so `beforeNovember2025` answers it for 2025-11-25 too. */
function revisionUntil2025(
  header: string | null,
  { beforeNovember2025, of2025November }: Revisions,
): Revision | undefined {
  if (header === '2025-11-25') return of2025November
  return header === null || VERSIONS_UNTIL_2025.includes(header) ? beforeNovember2025 : undefined
}
