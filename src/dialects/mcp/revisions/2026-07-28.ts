import type { Seal } from '../../../core/call/seal.ts'
import { toListedTool, toListedName } from '../tool-document.ts'
import { NO_RESPONSES, NO_STATE } from './2026-07-28/request-state.ts'
import { resumeRoundTrip, createRoundTrip } from './2026-07-28/round-trip.ts'
import type { Revision, ServerInfo } from './revision.ts'
import { isJsonObject } from '../../../core/tool/json.ts'
import { decodeBase64Text } from '../../../http/request/header-text.ts'
import { CAPABILITIES_KEY, INVALID_PARAMS, type McpError, type McpRequest } from '../wire.ts'
import { outputKind, readCapabilities, toResult } from '../wire.ts'

const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

const TTL_MS = 5_000

/** The format of tools in its lists. */
export const LIST_FORMAT_2026: Pick<Revision, 'format' | 'encodeTool'> = {
  format: 'mcp-2026-07-28',
  encodeTool: (record, name) => toListedTool(record, toListedName(record, name)),
}

/** MCP 2026-07-28, which has no handshake. The state that a client returns with its responses is sealed. */
export function revision2026(serverInfo: ServerInfo, seal: Seal): Revision {
  const serverMeta = { [SERVER_KEY]: serverInfo }
  const cacheFields = { ttlMs: TTL_MS, cacheScope: 'private', _meta: serverMeta }
  const cacheMembers = JSON.stringify(cacheFields).slice(1)
  const revision: Revision = {
    ...LIST_FORMAT_2026,
    kind: 'revision',
    statuses: {},
    isModern: true,
    toStructuredContent(value, output) {
      const kind = outputKind(output)
      return kind === 'none' || (kind === 'any' && value === null) ? undefined : value
    },
    createResult: (fields, meta) => toResult({ resultType: 'complete', ...fields, _meta: { ...meta, ...serverMeta } }),
    formatToolList: (members) => `{"resultType":"complete",${members},${cacheMembers}`,
    discoveryMethod: 'server/discover',
    discover: (_params, server) =>
      toResult({ resultType: 'complete', supportedVersions: VERSIONS_FROM_2026, ...server, ...cacheFields }),
    resourceNotFound: INVALID_PARAMS,
    getClientCapabilities: readCapabilities,
    startRoundTrip(call, context) {
      const deps = { seal, revision, serverMeta }
      // Most calls resume nothing, so they skip its promises
      if (call.requestState !== undefined || call.inputResponses !== undefined)
        return resumeRoundTrip(call, context, deps)
      return {
        kind: 'round-trip',
        inputResponses: NO_RESPONSES,
        requestInput: (failure) => createRoundTrip(NO_STATE, call, context, deps).requestInput(failure),
      }
    },
  }
  return revision
}

export const VERSIONS_FROM_2026: readonly string[] = ['2026-07-28']

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** MCP 2026-07-28, "Error codes". */
const HEADER_MISMATCH = -32020
const UNSUPPORTED_VERSION = -32022

/** The member of `params` that the header `Mcp-Name` must repeat. */
const NAME_MEMBERS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Checks `_meta` ("Per-request metadata"), and that the headers match the body ("Standard headers"). */
export function findEnvelopeError(headers: Headers, { method, params }: McpRequest): McpError | undefined {
  const meta = isJsonObject(params._meta) ? params._meta : {}
  const version = meta[VERSION_KEY]
  if (typeof version !== 'string') return invalidEnvelope(`'_meta' must have '${VERSION_KEY}', which is a string`)
  if (!isJsonObject(meta[CAPABILITIES_KEY]))
    return invalidEnvelope(`'_meta' must have '${CAPABILITIES_KEY}', which is an object`)
  const versionError = findHeaderMismatch(headers, 'MCP-Protocol-Version', version)
  if (versionError) return versionError
  if (!VERSIONS_FROM_2026.includes(version)) return createUnsupportedVersion(version, VERSIONS_FROM_2026)
  const methodError = findMethodMismatch(headers, method)
  if (methodError) return methodError
  const name = Object.hasOwn(NAME_MEMBERS, method) ? params[NAME_MEMBERS[method] ?? ''] : undefined
  return typeof name === 'string' ? findHeaderMismatch(headers, 'Mcp-Name', name, decodeHeader) : undefined
}

export function findMethodMismatch(headers: Headers, method: string): McpError | undefined {
  return findHeaderMismatch(headers, 'Mcp-Method', method)
}

function findHeaderMismatch(headers: Headers, name: string, expected: string, decode?: typeof decodeHeader) {
  const value = headers.get(name)
  if (value === null) return createHeaderMismatch(`The header '${name}' is missing: wanted '${expected}'`)
  if ((decode ? decode(value) : value) === expected) return undefined
  return createHeaderMismatch(`The header '${name}' says '${value}', and the body '${expected}'`)
}

export function createHeaderMismatch(message: string): McpError {
  return { kind: 'error', code: HEADER_MISMATCH, message: message.slice(0, 500), status: 400 }
}

export function createUnsupportedVersion(version: string, supported: readonly string[]): McpError {
  const requestedVersion = version.slice(0, 100)
  const message = `The protocol version '${requestedVersion}' is not supported: wanted one of ${supported.join(', ')}`
  return {
    kind: 'error',
    code: UNSUPPORTED_VERSION,
    message,
    data: { supported, requested: requestedVersion },
    status: 400,
  }
}

function invalidEnvelope(message: string): McpError {
  return { kind: 'error', code: INVALID_PARAMS, message, status: 400 }
}

/** "Header value encoding": non-ASCII text is `=?base64?…?=`. Undefined for invalid Base64 or UTF-8. */
function decodeHeader(value: string): string | undefined {
  const encodedText = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  return encodedText === undefined ? value : decodeBase64Text(encodedText)
}
