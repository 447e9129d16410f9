import type { FetchCapability } from '../../core/access/principal.ts'
import type { Credential } from '../../core/call/invocation.ts'
import { createRedactor } from '../../core/call/redact.ts'
import type { ListRequest } from '../../core/tool/remote-dialect.ts'
import type { Implementation, Requirements } from '../../core/tool/tool.ts'
import { base64 } from '../../outbound/base64.ts'
import { createEndpoint, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { listServer } from './json-server.ts'
import { listMcpTools } from './mcp/list.ts'

/** Opens the server of an implementation for an import. The value is the function that lists its tools. */
export function createUpstreams(deps: RemoteDeps) {
  return (implementation: Implementation, requirements: Requirements) => {
    const checkResult = checkRemoteImplementation({ ...implementation, tool: 'Any.any' }, { requirements })
    if (!checkResult.ok) return checkResult
    const { url, protocol, credentials } = checkResult.value
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
        const listResult = await (dialect
          ? listServer(dialect, located.endpoint, listing, deps)
          : listMcpTools(located.endpoint, listing, deps))
        if (!listResult.ok) return wrong('/url', listResult.problem)
        // Readers of the tools must not see the key that was used to list them
        const redactor = createRedactor(
          Array.from(secrets.values(), ({ value }) => value),
          base64,
          listing.budget,
        )
        return { ok: true as const, value: redactor?.value(listResult) ?? listResult }
      },
    }
  }
}

function wrong(path: string, message: string) {
  return { ok: false as const, problems: [{ path, message }] }
}
