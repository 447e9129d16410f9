import { isJsonObject } from '../../../core/tool/json.ts'
import type { Era } from '../failure.ts'
import { type McpError, type McpRequest, type Message } from '../json-rpc.ts'
import {
  envelopeError,
  headerMismatch,
  mismatch,
  MODERN_VERSIONS,
  unsupportedVersion,
  VERSION_KEY,
} from './2026-07-28.ts'
import { LEGACY_VERSIONS } from './until-2025-11-25.ts'

type Notification = Extract<Message, { kind: 'notification' }>

/**
 * Of which era a message is, or what is wrong with how it says so (MCP 2026-07-28, "Versioning"): a message that names its
 * version in `_meta`, or a modern one in its header, is modern; `initialize` and whatever names no version are legacy.
 */
export function eraOf(headers: Headers, message: McpRequest | Notification): Era | McpError {
  const header = headers.get('mcp-protocol-version')
  const { _meta } = message.params
  const claims = isJsonObject(_meta) && _meta[VERSION_KEY] !== undefined
  const isModern = header !== null && MODERN_VERSIONS.includes(header)
  if (!claims && !isModern) {
    if (header === null || LEGACY_VERSIONS.includes(header)) return 'legacy'
    return unsupportedVersion(header, [...MODERN_VERSIONS, ...LEGACY_VERSIONS])
  }
  if (message.kind === 'notification') {
    // Nothing comes of a notification, so it need not say what requests do
    return (headers.has('mcp-method') && headerMismatch(headers, message.method)) || 'modern'
  }
  if (!claims && message.method === 'initialize') {
    return mismatch(`The header 'MCP-Protocol-Version' says '${header}', which has no 'initialize'`)
  }
  return envelopeError(headers, message) ?? 'modern'
}

/** Whether a batch, which no modern revision has, says that it is of one. */
export function isModernBatch(headers: Headers): boolean {
  const header = headers.get('mcp-protocol-version')
  return header !== null && !LEGACY_VERSIONS.includes(header)
}
