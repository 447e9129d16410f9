import { isJsonObject } from '../../../core/tool/json.ts'
import { INVALID_REQUEST, type McpError, type McpRequest, type Message } from '../json-rpc.ts'
import {
  envelopeError,
  methodMismatch,
  mismatch,
  unsupportedVersion,
  VERSION_KEY,
  VERSIONS_FROM_2026,
} from './2026-07-28/envelope.ts'
import type { Revision } from './revision.ts'
import { VERSIONS_UNTIL_2025 } from './until-2025-11-25.ts'

type Notification = Extract<Message, { kind: 'notification' }>

/** Every revision that is spoken here. */
export interface Revisions {
  readonly until2025: Revision
  readonly from2026: Revision
}

/**
 * The revision that a message is of, or what is wrong with how it says so (MCP 2026-07-28, "Versioning"): the version is
 * what `_meta` names, or a header that is from 2026 on. A message without either, such as `initialize`, is of a revision
 * before 2026.
 */
export function revisionOf(
  headers: Headers,
  message: McpRequest | Notification,
  { until2025, from2026 }: Revisions,
): Revision | McpError {
  const header = headers.get('mcp-protocol-version')
  const { _meta } = message.params
  const isNamed = isJsonObject(_meta) && _meta[VERSION_KEY] !== undefined
  if (!isNamed && (header === null || !VERSIONS_FROM_2026.includes(header))) {
    if (header === null || VERSIONS_UNTIL_2025.includes(header)) return until2025
    return unsupportedVersion(header, [...VERSIONS_FROM_2026, ...VERSIONS_UNTIL_2025])
  }
  if (message.kind === 'notification') {
    // A notification has no effect here, so its `_meta` is not judged
    return (headers.has('mcp-method') && methodMismatch(headers, message.method)) || from2026
  }
  if (!isNamed && message.method === 'initialize') {
    return mismatch(`The header 'MCP-Protocol-Version' says '${header}', which has no 'initialize'`)
  }
  return envelopeError(headers, message) ?? from2026
}

/** The revision of a batch (MCP 2025-03-26, "Batching"), which none from 2026 on has. */
export function revisionOfBatch(headers: Headers, { until2025 }: Revisions): Revision | McpError {
  const header = headers.get('mcp-protocol-version')
  if (header === null || VERSIONS_UNTIL_2025.includes(header)) return until2025
  return { code: INVALID_REQUEST, message: 'This revision has no batches', status: 400 }
}
