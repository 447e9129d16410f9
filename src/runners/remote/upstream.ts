import type { Admission } from '../../core/access/principal.ts'
import type { Credential } from '../../core/call/invocation.ts'
import type { Implementation, Requirements } from '../../core/tool/tool.ts'
import { locate, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import type { ListRequest } from './list-pages.ts'
import { listMcpTools } from './mcp/list.ts'
import { listOxpTools } from './oxp.ts'

export function createUpstreams(deps: RemoteDeps) {
  return (implementation: Implementation, requirements: Requirements) => {
    const checked = checkRemoteImplementation({ ...implementation, tool: 'any' }, { requirements })
    if (!checked.ok) return checked
    const { url, protocol, credentials } = checked.value
    return {
      ok: true as const,
      async value(secrets: ReadonlyMap<string, Credential>, listing: ListRequest & { readonly asker: Admission }) {
        // No user's token counts while importing
        const ours = credentials.filter(({ source }) => source === 'secret')
        const located = locate({ url, credentials: ours }, { secrets, tokens: new Map() }, {}, listing.asker)
        if (!located.ok) return wrong('/credentials', located.failure.message)
        const listed =
          protocol === 'mcp'
            ? await listMcpTools(located.endpoint, listing, deps)
            : await listOxpTools(located.endpoint, listing, deps)
        return listed.ok ? { ok: true as const, value: listed } : wrong('/url', listed.problem)
      },
    }
  }
}

function wrong(path: string, message: string) {
  return { ok: false as const, problems: [{ path, message }] }
}
