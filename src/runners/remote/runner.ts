import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext, Runner } from '../../core/call/runner.ts'
import { isIdempotent, type ToolRecord } from '../../core/tool/tool.ts'
import { createCheckedRunner } from '../shared/checked-runner.ts'
import { MAX_RETRIES, type RetryClock, type UpstreamResult, createUpstreamTool } from '../shared/retrying-call.ts'
import { getHost } from '../shared/url-template.ts'
import { createEndpoint, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { callMcp } from './mcp/call.ts'
import { callServer } from './json-server.ts'

export function createRemoteRunner(options: RetryClock & RemoteDeps): Runner {
  return createCheckedRunner('remote', checkRemoteImplementation, (implementation, record) => {
    const { protocol, credentials, timeout_ms: timeoutMs } = implementation
    const dialect = options.dialects.get(protocol)
    const tool = { ...implementation, record, inputSchema: headerSchema(record) }
    const isRetrySafe = isIdempotent(record)
    const ask = (invocation: Invocation, context: RunContext): UpstreamResult | Promise<UpstreamResult> => {
      const initiator = {
        toolkit: record.toolkit,
        caller: context.principal,
        timeoutMs,
        signal: context.deadline.signal,
      }
      const located = createEndpoint(implementation, invocation, context, initiator)
      if (!located.ok) return { result: located }
      const call = { invocation, endpoint: located.endpoint, context }
      return dialect ? callServer(dialect, tool, call, options) : callMcp(tool, call, options)
    }
    return createUpstreamTool(
      { ask, credentials, isRetrySafe, retries: MAX_RETRIES, timeoutMs, hosts: [getHost(implementation.url)] },
      options,
    )
  })
}

/** Published schemas lack `x-mcp-header`, so only the server's own schema says which arguments go into headers too. */
function headerSchema({ source: { document } }: ToolRecord): JsonObject | undefined {
  if (!isObject(document) || !isJsonObject(document['inputSchema'])) return undefined
  return JSON.stringify(document['inputSchema']).includes('"x-mcp-header"') ? document['inputSchema'] : undefined
}
