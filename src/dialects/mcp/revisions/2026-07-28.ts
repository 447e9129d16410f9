import { isJsonObject } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { HEADER_MISMATCH, INVALID_PARAMS, type McpError, type McpRequest, UNSUPPORTED_VERSION } from '../json-rpc.ts'
import { ID_KEY, toolOf } from '../tool-document.ts'
import { outputKind } from '../tool-schema.ts'
import type { Revision, ServerInfo } from './revision.ts'

export const MODERN_VERSIONS: readonly string[] = ['2026-07-28']

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

/** A list may be this old: as old as the catalogue an isolate keeps. */
const TTL_MS = 5_000

/** MCP 2026-07-28: no handshake, every request says who it is from, and a tool can ask back. */
export function modern(serverInfo: ServerInfo): Revision {
  const meta = `"_meta":${JSON.stringify({ [SERVER_KEY]: { ...serverInfo } })}`
  const cached = `"ttlMs":${TTL_MS},"cacheScope":"private"`
  const discovered = `{"resultType":"complete","supportedVersions":${JSON.stringify(MODERN_VERSIONS)},"capabilities":{"tools":{}},${cached},${meta}}`
  return {
    era: 'modern',
    format: 'mcp-2026-07-28',
    disconnectCancels: true,
    tool(record: ToolRecord, name: string) {
      const { _meta, ...tool } = toolOf(record, name)
      return { ...tool, _meta: { ...(isJsonObject(_meta) ? _meta : {}), [ID_KEY]: record.id } }
    },
    structured(value, text, output) {
      const kind = outputKind(output)
      return kind === 'none' || (kind === 'any' && value === null) ? undefined : text
    },
    result(members, own) {
      const all = own ? `"_meta":${JSON.stringify({ ...own, [SERVER_KEY]: { ...serverInfo } })}` : meta
      return `{"resultType":"complete",${members},${all}}`
    },
    inputRequired: (members) => `{"resultType":"input_required",${members},${meta}}`,
    listResult: (members) => `{"resultType":"complete",${members},${cached},${meta}}`,
    capabilities: (declared) => declared,
    answer: (method) => (method === 'server/discover' ? discovered : undefined),
  }
}

/**
 * Holds a request to what this revision wants of every request: `_meta` with the version and the client's capabilities
 * ("Per-request metadata"), and headers that say the same as the body ("Standard headers").
 */
export function envelopeError(headers: Headers, { method, params }: McpRequest): McpError | undefined {
  const header = headers.get('mcp-protocol-version')
  const meta = isJsonObject(params._meta) ? params._meta : {}
  const version = meta[VERSION_KEY]
  if (typeof version !== 'string') return invalid(`'_meta' must have '${VERSION_KEY}', which is a string`)
  if (!isJsonObject(meta[CAPABILITIES_KEY])) {
    return invalid(`'_meta' must have '${CAPABILITIES_KEY}', which is an object`)
  }
  if (header === null) return mismatch(`The header 'MCP-Protocol-Version' is missing: wanted '${version}'`)
  if (header !== version) {
    return mismatch(`The header 'MCP-Protocol-Version' says '${header}', and the body '${version}'`)
  }
  if (!MODERN_VERSIONS.includes(version)) return unsupportedVersion(version, MODERN_VERSIONS)
  const mismatched = headerMismatch(headers, method)
  if (mismatched) return mismatched
  const named = method === 'resources/read' ? params.uri : NAMED.has(method) ? params.name : undefined
  if (typeof named !== 'string') return undefined
  const given = headers.get('mcp-name')
  if (given === null) return mismatch(`The header 'Mcp-Name' is missing: wanted '${named}'`)
  return decodeHeader(given) === named
    ? undefined
    : mismatch(`The header 'Mcp-Name' says '${given}', and the body '${named}'`)
}

const NAMED = new Set(['tools/call', 'prompts/get'])

/** The header `Mcp-Method`, which requests and notifications have. */
export function headerMismatch(headers: Headers, method: string): McpError | undefined {
  const given = headers.get('mcp-method')
  if (given === method) return undefined
  if (given === null) return mismatch(`The header 'Mcp-Method' is missing: wanted '${method}'`)
  return mismatch(`The header 'Mcp-Method' says '${given}', and the body '${method}'`)
}

export function unsupportedVersion(asked: string, supported: readonly string[]): McpError {
  const requested = asked.slice(0, 100)
  const message = `The protocol version '${requested}' is not supported: wanted one of ${supported.join(', ')}`
  return { code: UNSUPPORTED_VERSION, message, data: { supported, requested }, status: 400 }
}

export function mismatch(message: string): McpError {
  return { code: HEADER_MISMATCH, message: message.slice(0, 500), status: 400 }
}

function invalid(message: string): McpError {
  return { code: INVALID_PARAMS, message, status: 400 }
}

/** "Header value encoding": what is not visible ASCII is `=?base64?…?=`. Undefined for what is no Base64 of UTF-8. */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return undefined
  }
}
