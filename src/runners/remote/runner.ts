import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Run, Runner } from '../../core/call/runner.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { checkedRunner } from '../shared/checked-runner.ts'
import { callServer, isIdempotent, MAX_RETRIES, type RetryClock, type ServerOutcome } from '../shared/server-call.ts'
import { type Endpoint, locate } from './endpoint.ts'
import { checkRemoteImplementation, type RemoteImplementation } from './implementation.ts'
import { callMcp, type McpDeps } from './mcp/call.ts'
import { callOxp } from './oxp/call.ts'
import type { OxpDeps } from './oxp/server.ts'

export type RemoteRunnerOptions = RetryClock & McpDeps & OxpDeps

/** Calls a tool of another server, once. */
type CallOnce = (input: JsonObject, endpoint: Endpoint, context: Parameters<Run>[1]) => Promise<ServerOutcome>

/**
 * Makes the runner of `remote` implementations: tools of MCP and OXP servers. Tools that are read-only or idempotent are
 * tried again, twice at most, where the server could not be reached or was busy; any once more with new tokens of its
 * user's, where it did not take those it was sent.
 */
export function createRemoteRunner(options: RemoteRunnerOptions): Runner {
  return checkedRunner('remote', checkRemoteImplementation, (implementation, record) => {
    const { protocol, credentials, timeout_ms: timeoutMs } = implementation
    const callOnce = protocol === 'mcp' ? mcp(implementation, record) : oxp(implementation)
    const retries = isIdempotent(record) ? MAX_RETRIES : 0
    return {
      ok: true,
      timeoutMs,
      run(input, given) {
        const ask = async (context: typeof given): Promise<ServerOutcome> => {
          const located = locate(implementation, context)
          return located.ok ? callOnce(input, located.endpoint, context) : { result: located }
        }
        return callServer({ ask, credentials, retries, timeoutMs }, given, options)
      },
    }
  })

  function mcp({ tool, timeout_ms }: RemoteImplementation, record: ToolRecord): CallOnce {
    const inputSchema = headerSchema(record)
    const upstream = { name: tool, timeoutMs: timeout_ms, ...(inputSchema ? { inputSchema } : {}) }
    return (input, endpoint, context) => callMcp(upstream, input, endpoint, context, options)
  }

  function oxp({ tool, pass_user }: RemoteImplementation): CallOnce {
    return (input, endpoint, context) => callOxp({ id: tool, passUser: pass_user }, input, endpoint, context, options)
  }
}

/** The server's own schema, where it wants arguments in headers too: ours is published without that. */
function headerSchema({ source: { document } }: ToolRecord): JsonObject | undefined {
  if (!isObject(document) || !isJsonObject(document['inputSchema'])) return undefined
  return JSON.stringify(document['inputSchema']).includes('"x-mcp-header"') ? document['inputSchema'] : undefined
}
