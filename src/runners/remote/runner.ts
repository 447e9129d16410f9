import { listMcpTools } from './mcp/list.ts'
import type { FetchCapability } from '../../core/access/principal.ts'
import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Credential, Invocation } from '../../core/call/invocation.ts'
import { createRedactor } from '../../core/call/redact.ts'
import type { RunContext, Runner } from '../../core/call/runner.ts'
import type { ListRequest } from '../../core/tool/remote-dialect.ts'
import { type Implementation, isIdempotent, type Requirements, type ToolRecord } from '../../core/tool/tool.ts'
import { base64 } from '../../outbound/base64.ts'
import { createCheckedRunner } from '../shared/checked-runner.ts'
import { MAX_RETRIES, type RetryClock, type UpstreamResult, createUpstreamTool } from '../shared/retrying-call.ts'
import { getHost } from '../shared/url-template.ts'
import { createEndpoint, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { callMcp } from './mcp/call.ts'
import { callServer, listServer } from './json-server.ts'

export function createRemoteRunner(options: RetryClock & RemoteDeps): Runner {
  return createCheckedRunner('remote', checkRemoteImplementation, (implementation, record) => {
    const { protocol, credentials, timeout_ms: timeoutMs } = implementation
    const dialect = options.dialects.get(protocol)
    const mcpTool = { ...implementation, record, inputSchema: headerSchema(record) }
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
      const { endpoint } = located
      return dialect
        ? callServer(dialect, implementation, record, invocation, endpoint, context, options)
        : callMcp(mcpTool, invocation, endpoint, context, options)
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

export function createUpstreams(deps: RemoteDeps) {
  return (implementation: Implementation, requirements: Requirements) => {
    const checked = checkRemoteImplementation({ ...implementation, tool: 'Any.any' }, { requirements })
    if (!checked.ok) return checked
    const { url, protocol, credentials } = checked.value
    return {
      ok: true as const,
      async value(
        secrets: ReadonlyMap<string, Credential>,
        listing: ListRequest & { readonly fetchCapability: FetchCapability },
      ) {
        // An import has no user whose token it could use
        const secretCredentials = credentials.filter(({ source }) => source === 'secret')
        const located = createEndpoint(
          { url, credentials: secretCredentials },
          { secrets, tokens: new Map() },
          {},
          listing.fetchCapability,
        )
        if (!located.ok) return wrong('/credentials', located.failure.message)
        const dialect = deps.dialects.get(protocol)
        const listed = await (dialect
          ? listServer(dialect, located.endpoint, listing, deps)
          : listMcpTools(located.endpoint, listing, deps))
        if (!listed.ok) return wrong('/url', listed.problem)
        // Who may read the tools may not read the key by which they are listed
        const redactor = createRedactor(
          Array.from(secrets.values(), ({ value }) => value),
          base64,
          listing.budget,
        )
        return { ok: true as const, value: redactor?.value(listed) ?? listed }
      },
    }
  }
}

function wrong(path: string, message: string) {
  return { ok: false as const, problems: [{ path, message }] }
}
