import { isJsonObject, isObject, type JsonObject } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { ID_KEY, toolOf } from '../tool-document.ts'
import { outputKind, wrappedSchema } from '../tool-schema.ts'
import type { Revision, ServerInfo } from './revision.ts'

/** The revisions with the `initialize` handshake, newest first. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

/**
 * Clients declare what they are capable of in `initialize` only, and nothing is kept of that; so a client that can be shown
 * URLs, which 2025-11-25 was the first to know of, gets a session id that says so with each of its calls. Whoever makes
 * one up is shown URLs instead of texts, and gains nothing.
 */
const SHOWS_URLS = '.elicitation-url'
const URL_ELICITATION: JsonObject = { elicitation: { url: {} } }

/**
 * MCP 2024-11-05 to 2025-11-25, without state: nothing is kept of `initialize`, and every request stands alone. Clients
 * ignore members that their revision does not have, so all get the newest form. Outputs are objects: one that is not is
 * wrapped as `{"result": …}`, in the schema and in the value.
 */
export function legacy(serverInfo: ServerInfo): Revision {
  const server = JSON.stringify(serverInfo)
  return {
    era: 'legacy',
    format: 'mcp-legacy',
    // "Disconnection SHOULD NOT be interpreted as the client cancelling its request"
    disconnectCancels: false,
    tool(record: ToolRecord, name: string) {
      const { outputSchema, _meta, ...tool } = toolOf(record, name)
      return {
        ...tool,
        ...(isJsonObject(outputSchema)
          ? { outputSchema: outputKind(outputSchema) === 'object' ? outputSchema : wrappedSchema(outputSchema) }
          : {}),
        _meta: { ...(isJsonObject(_meta) ? _meta : {}), [ID_KEY]: record.id },
      }
    },
    structured(value, text, output) {
      switch (outputKind(output)) {
        case 'none':
          return undefined
        case 'any':
          return isObject(value) ? text : undefined
        case 'object':
          return text
        case 'value':
          return `{"result":${text}}`
      }
    },
    result: (members, meta) => (meta ? `{${members},"_meta":${JSON.stringify(meta)}}` : `{${members}}`),
    listResult: (members) => `{${members}}`,
    capabilities(declared, sessionId) {
      return sessionId?.endsWith(SHOWS_URLS) ? { ...URL_ELICITATION, ...declared } : declared
    },
    sessionId(method, params, unique) {
      if (method !== 'initialize' || negotiated(params) !== '2025-11-25') return undefined
      const { capabilities } = params
      const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined
      return isJsonObject(elicitation) && isJsonObject(elicitation.url) ? `${unique()}${SHOWS_URLS}` : undefined
    },
    answer(method, params) {
      if (method === 'ping') return '{}'
      if (method !== 'initialize') return undefined
      return `{"protocolVersion":${JSON.stringify(negotiated(params))},"capabilities":{"tools":{}},"serverInfo":${server}}`
    },
  }
}

/** "If the server supports the requested protocol version, it MUST respond with the same version", else with the newest. */
function negotiated({ protocolVersion }: JsonObject): string | undefined {
  return LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LEGACY_VERSIONS[0]
}
