import { isObject } from '../../../core/json.ts'
import type { ToolRecord } from '../../../core/tool.ts'
import { ID_KEY, toolOf } from '../tool-document.ts'
import { isJsonObject, outputKind, wrappedSchema } from '../tool-schema.ts'
import type { Revision, ServerInfo } from './revision.ts'

/** The revisions with the `initialize` handshake, newest first. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

/**
 * MCP 2024-11-05 to 2025-11-25, without sessions: nothing is kept of `initialize`, and every request stands alone. Clients
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
    answer(method, params) {
      if (method === 'ping') return '{}'
      if (method !== 'initialize') return undefined
      const { protocolVersion } = params
      const asked = LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LEGACY_VERSIONS[0]
      return `{"protocolVersion":${JSON.stringify(asked)},"capabilities":{"tools":{}},"serverInfo":${server}}`
    },
  }
}
