import { SwitchboardError } from '../client/index.ts'
import { getText, isObject, listObjects } from '../client/json.ts'
import { isJsonObject, type JsonObject } from '../core/tool/json.ts'
import type { CliSession } from './context.ts'

const NEWEST_REVISION = '2026-07-28'
const HEADERS = {
  'accept': 'application/json, text/event-stream',
  'mcp-protocol-version': NEWEST_REVISION,
  'mcp-method': 'tools/list',
}
const META = {
  'io.modelcontextprotocol/protocolVersion': NEWEST_REVISION,
  // Locks cover the pages of tools too
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/ui': {} } },
}

/** Lists all tools that the key can call, as `tools/list` of the newest MCP revision describes them to models. */
export async function listToolsOverMcp({ connection }: CliSession, toolset?: string): Promise<readonly JsonObject[]> {
  const tools: JsonObject[] = []
  let cursor: string | undefined
  do {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: META }
    const answer: unknown = await connection.sendJson({
      method: 'POST',
      path: '/mcp',
      query: { toolset },
      json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
      headers: HEADERS,
      isRepeatable: true,
    })
    const { result, error } = isObject(answer) ? answer : {}
    const message = getText(error, 'message') ?? 'The server is not a Switchboard'
    if (!isObject(result)) throw new SwitchboardError(error ? 'refused' : 'answer_invalid', message)
    tools.push(...listObjects(result, 'tools').filter(isJsonObject))
    cursor = getText(result, 'nextCursor')
  } while (cursor !== undefined)
  return tools
}
