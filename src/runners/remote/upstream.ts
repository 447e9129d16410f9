import type { Credential } from '../../core/call/runner.ts'
import type { Signal } from '../../core/tool/platform.ts'
import type { Implementation, Requirements } from '../../core/tool/tool.ts'
import { locate, type RemoteDeps } from './endpoint.ts'
import { checkRemoteImplementation } from './implementation.ts'
import { listMcpTools } from './mcp/list.ts'
import { listOxpTools } from './oxp.ts'

interface Listing {
  readonly toolkit: string | undefined
  readonly timeoutMs: number
  readonly signal: Signal
}

export function createUpstreams(deps: RemoteDeps) {
  return (implementation: Implementation, requirements: Requirements) => {
    const checked = checkRemoteImplementation({ ...implementation, tool: 'any' }, { requirements })
    if (!checked.ok) return checked
    const { url, protocol, credentials } = checked.value
    return {
      ok: true as const,
      async value(secrets: ReadonlyMap<string, Credential>, { toolkit, timeoutMs, signal }: Listing) {
        // No user's token counts while importing
        const ours = credentials.filter(({ source }) => source === 'secret')
        const located = locate({ url, credentials: ours }, { secrets, tokens: new Map() }, undefined)
        if (!located.ok) return wrong('/credentials', located.failure.message)
        const listed =
          protocol === 'mcp'
            ? await listMcpTools(located.endpoint, { signal, timeoutMs }, deps)
            : await listOxpTools(located.endpoint, { signal, toolkit }, deps)
        return listed.ok ? { ok: true as const, value: listed } : wrong('/url', listed.problem)
      },
    }
  }
}

function wrong(path: string, message: string) {
  return { ok: false as const, problems: [{ path, message }] }
}
