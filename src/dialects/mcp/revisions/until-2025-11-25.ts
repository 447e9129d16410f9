import { PAGE_EXTENSION } from '../../../core/page/page.ts'
import { isJsonObject, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { toUrlElicitations } from '../../../core/call/url-elicitations.ts'
import { hasCapability, URL_ELICITATION } from '../elicitation.ts'
import { formatFailure } from '../failure.ts'
import { outputKind, readCapabilities, toResult, withHeaders } from '../wire.ts'
import { toListedTool, toListedName, wrapOutputSchema } from '../tool-document.ts'
import type { Revision, ServerInfo } from './revision.ts'

export const VERSIONS_UNTIL_2025: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

/** MCP 2025-11-25, "URL elicitation required". */
const URL_ELICITATION_REQUIRED = -32042

/** Capabilities by the suffix of the session id. Only `initialize` declares them, and the server stores no sessions. */
const SESSION_CAPABILITIES: Readonly<Record<string, JsonObject>> = {
  '.elicitation-url': URL_ELICITATION,
  '.ui': { extensions: { [PAGE_EXTENSION]: {} } },
}

/**
 * MCP 2024-10-07 to 2025-06-18, and `initialize` of 2025-11-25, whose messages differ only in the listed tools. Clients ignore
 * members that they do not know, so all of them get the newest members.
 */
export function revisionsUntil2025(serverInfo: ServerInfo): Revision {
  return {
    kind: 'revision',
    format: 'mcp-until-2025-11-25',
    statuses: { 'route-unknown': 200 },
    isModern: false,
    encodeTool: (record, name) => wrapOutputSchema(toListedTool(record, name)),
    toStructuredContent(value, output) {
      const kind = outputKind(output)
      if (kind === 'value') return { result: value }
      return kind === 'object' || (kind === 'any' && isObject(value)) ? value : undefined
    },
    createResult: (fields, meta) => toResult(meta ? { ...fields, _meta: meta } : fields),
    formatToolList: (members) => `{${members}}`,
    discoveryMethod: 'initialize',
    discover(params, server) {
      const protocolVersion = negotiateVersion(params)
      const headers = protocolVersion === '2025-11-25' ? createSessionHeaders(params) : undefined
      return withHeaders(toResult({ protocolVersion, serverInfo, ...server }), headers)
    },
    // MCP 2025-11-25, "Resources", "Error Handling"
    resourceNotFound: -32002,
    getClientCapabilities: (params, request) => ({ ...readSessionCapabilities(request), ...readCapabilities(params) }),
    startRoundTrip(_call, { capabilities }) {
      return {
        kind: 'round-trip',
        requestInput(failure) {
          const urlElicitations = toUrlElicitations(failure)
          if (urlElicitations.length === 0 || !hasCapability(capabilities, URL_ELICITATION)) return undefined
          const elicitations = urlElicitations.map(({ challenge, request }) => ({
            ...request.params,
            elicitationId: challenge.authorization ?? challenge.url,
          }))
          return {
            kind: 'error',
            code: URL_ELICITATION_REQUIRED,
            message: formatFailure(failure),
            data: { elicitations },
            status: 200,
          }
        },
      }
    },
  }
}

/** Lists tools by their names with dots, which MCP allows from 2025-11-25 on. */
export function revision2025November(serverInfo: ServerInfo): Revision {
  return {
    ...revisionsUntil2025(serverInfo),
    format: 'mcp-2025-11-25',
    encodeTool: (record: ToolRecord, name: string) =>
      wrapOutputSchema(toListedTool(record, toListedName(record, name))),
  }
}

function createSessionHeaders({ capabilities }: JsonObject): Record<string, string> | undefined {
  const suffixes = Object.entries(SESSION_CAPABILITIES).flatMap(([suffix, capability]) =>
    isJsonObject(capabilities) && hasCapability(capabilities, capability) ? [suffix] : [],
  )
  return suffixes.length > 0 ? { 'mcp-session-id': crypto.randomUUID() + suffixes.join('') } : undefined
}

function readSessionCapabilities({ headers }: Request): JsonObject {
  const [suffixes = ''] = /(?:\.elicitation-url|\.ui)+$/.exec(headers.get('mcp-session-id') ?? '') ?? []
  const declared = Object.entries(SESSION_CAPABILITIES).filter(([suffix]) => suffixes.includes(suffix))
  return Object.assign({}, ...declared.map(([, capability]) => capability))
}

/** "If the server supports the requested protocol version, it MUST respond with the same version." */
function negotiateVersion({ protocolVersion }: JsonObject): string | undefined {
  return VERSIONS_UNTIL_2025.find((version) => version === protocolVersion) ?? VERSIONS_UNTIL_2025[0]
}
