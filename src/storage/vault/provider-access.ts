import type { Provider, Providers } from '../../core/consent/provider.ts'
import { parseToolId, matchesTool } from '../../core/tool/tool-id.ts'
import { NO_VAULT_KEYS } from './grants.ts'

export interface ProviderAccessOptions {
  readonly providers: Providers
  readonly clientVariablesFor: (
    provider: string,
  ) => { readonly clientId: string; readonly clientSecret: string } | undefined
  readonly canStoreGrants: (url: string) => boolean
}

/** Gives a provider, or why the tool may not use its grants at this URL. */
export function createProviderAccess({ providers, clientVariablesFor, canStoreGrants }: ProviderAccessOptions) {
  return async (id: string, tool: string, url: string): Promise<Provider | string> => {
    const provider = await providers.find(id)
    if (!provider) return notConnected(id, clientVariablesFor(id))
    const name = parseToolId(tool)
    if (provider.tools && !provider.tools.some((pattern) => name && matchesTool(pattern, name))) {
      return `The provider '${id}' is not for '${tool}': an administrator says in its 'tools' which may act with its grants`
    }
    return canStoreGrants(url) ? provider : NO_VAULT_KEYS
  }
}

function notConnected(id: string, variables: ReturnType<ProviderAccessOptions['clientVariablesFor']>): string {
  const set = variables ? `set ${variables.clientId} and ${variables.clientSecret}, or ` : ''
  const put = `an administrator can ${set}PUT /providers/${encodeURIComponent(id.toWellFormed())}`
  return `No provider '${id}' is connected: ${put}`
}
