import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Invocation } from '../../core/call/invocation.ts'
import type { Reading, RunContext, Runner } from '../../core/call/runner.ts'
import { isIdempotent, type ToolRecord } from '../../core/tool/tool.ts'
import { createCheckedRunner } from '../shared/checked-runner.ts'
import { MAX_RETRIES, type RetryClock, type UpstreamResult, createUpstreamTool } from '../shared/retrying-call.ts'
import { getHost } from '../shared/url-template.ts'
import { createEndpoint, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { callMcp } from './mcp/call.ts'
import { callResource } from './mcp/resource.ts'
import { callServer } from './json-server.ts'

export function createRemoteRunner(options: RetryClock & RemoteDeps): Runner {
  return createCheckedRunner('remote', checkRemoteImplementation, (implementation, record) => {
    const { protocol, credentials, timeout_ms: timeoutMs } = implementation
    const dialect = options.dialects.get(protocol)
    const tool = { ...implementation, record, inputSchema: headerSchema(record) }
    const isRetrySafe = isIdempotent(record)
    const hosts = [getHost(implementation.url)]
    /** Calls the tool, or reads from its server. */
    const createRunnable = (reading?: Reading) => {
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
        if (reading) return callResource(reading, timeoutMs, call, options)
        return dialect ? callServer(dialect, tool, call, options) : callMcp(tool, call, options)
      }
      const retries = { isRetrySafe: isRetrySafe || reading !== undefined, retries: MAX_RETRIES }
      return createUpstreamTool({ ask, credentials, ...retries, timeoutMs, hosts }, options)
    }
    const runnable = createRunnable()
    return dialect ? runnable : { ...runnable, read: (reading, ...request) => createRunnable(reading).run(...request) }
  })
}

/** Published schemas lack `x-mcp-header`, so only the server's own schema says which arguments go into headers too. */
function headerSchema({ source: { document } }: ToolRecord): JsonObject | undefined {
  if (!isObject(document) || !isJsonObject(document['inputSchema'])) return undefined
  return JSON.stringify(document['inputSchema']).includes('"x-mcp-header"') ? document['inputSchema'] : undefined
}
