import type { ProviderResult, Providers } from '../../core/consent/provider.ts'
import { parseToolId, matchesTool } from '../../core/tool/tool-id.ts'
import { NO_VAULT_KEYS } from './grants.ts'

export interface ProviderAccessOptions {
  readonly providers: Providers
  readonly clientVariablesFor: (
    provider: string,
  ) => { readonly clientId: string; readonly clientSecret: string } | undefined
  readonly canStoreGrants: (url: string) => boolean
}

/** Finds a provider for a tool that wants to use a user's grant there, in a deployment at this URL. */
export function createProviderAccess({ providers, clientVariablesFor, canStoreGrants }: ProviderAccessOptions) {
  return async (id: string, tool: string, url: string): Promise<ProviderResult> => {
    const provider = await providers.find(id)
    if (!provider) return { ok: false, reason: formatNotConnected(id, clientVariablesFor(id)) }
    const name = parseToolId(tool)
    if (provider.tools && !provider.tools.some((pattern) => name && matchesTool(pattern, name))) {
      const reason = `The provider '${id}' is not for '${tool}': an administrator says in its 'tools' which may act with its grants`
      return { ok: false, reason }
    }
    return canStoreGrants(url) ? { ok: true, value: provider } : { ok: false, reason: NO_VAULT_KEYS }
  }
}

function formatNotConnected(id: string, variables: ReturnType<ProviderAccessOptions['clientVariablesFor']>): string {
  const set = variables ? `set ${variables.clientId} and ${variables.clientSecret}, or ` : ''
  const put = `an administrator can ${set}add it with PUT /providers/${encodeURIComponent(id.toWellFormed())}`
  return `No provider '${id}' is connected: ${put}`
}
