import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext, Runner } from '../../core/call/runner.ts'
import { isIdempotent, type ToolRecord } from '../../core/tool/tool.ts'
import { checkedRunner } from '../shared/checked-runner.ts'
import { MAX_RETRIES, type RetryClock, type ServerOutcome, serverTool } from '../shared/retrying-call.ts'
import { hostOf } from '../shared/url-template.ts'
import { locate, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { callMcp } from './mcp/call.ts'
import { callOxp } from './oxp.ts'

export function createRemoteRunner(options: RetryClock & RemoteDeps): Runner {
  return checkedRunner('remote', checkRemoteImplementation, (implementation, record) => {
    const { protocol, credentials, timeout_ms: timeoutMs } = implementation
    const mcpTool = { ...implementation, inputSchema: headerSchema(record) }
    const isRepeatable = isIdempotent(record)
    const ask = (invocation: Invocation, context: RunContext): ServerOutcome | Promise<ServerOutcome> => {
      const asker = { toolkit: record.toolkit, caller: context.principal, timeoutMs, signal: context.signal }
      const located = locate(implementation, invocation, context, asker)
      if (!located.ok) return { result: located }
      const { endpoint } = located
      return protocol === 'mcp'
        ? callMcp(mcpTool, invocation, endpoint, context, options)
        : callOxp(implementation, invocation, endpoint, context, options)
    }
    return serverTool(
      { ask, credentials, isRepeatable, retries: MAX_RETRIES, timeoutMs, hosts: [hostOf(implementation.url)] },
      options,
    )
  })
}

/** Ours is published without `x-mcp-header`, so only the server's own schema says which arguments go into headers too. */
function headerSchema({ source: { document } }: ToolRecord): JsonObject | undefined {
  if (!isObject(document) || !isJsonObject(document['inputSchema'])) return undefined
  return JSON.stringify(document['inputSchema']).includes('"x-mcp-header"') ? document['inputSchema'] : undefined
}
