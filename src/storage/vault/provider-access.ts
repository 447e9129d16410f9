import type { Provider, Providers } from '../../core/consent/provider.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { patternCovers } from '../../core/tool/tool-id.ts'
import { NO_KEYS } from './grants.ts'

export interface ProviderAccessOptions {
  readonly providers: Providers
  /** The variables that connect a well-known provider; undefined for others. */
  readonly variablesOf: (provider: string) => { readonly clientId: string; readonly clientSecret: string } | undefined
  /** Whether grants may be kept where this deployment was reached by a URL. */
  readonly keepsGrants: (url: string) => boolean
}

/**
 * Makes the function that gives the provider of an id, if a tool may act with its grants where the deployment was reached;
 * else why it may not, in words for whoever calls and for the person.
 */
export function createProviderAccess({ providers, variablesOf, keepsGrants }: ProviderAccessOptions) {
  return async (id: string, tool: string, url: string): Promise<Provider | string> => {
    const provider = await providers.find(id)
    if (!provider) return notConnected(id, variablesOf(id))
    const name = parseToolId(tool)
    if (provider.tools && !provider.tools.some((pattern) => name && patternCovers(pattern, name))) {
      return `The provider '${id}' is not for '${tool}': an administrator says in its 'tools' which may act with its grants`
    }
    return keepsGrants(url) ? provider : NO_KEYS
  }
}

function notConnected(id: string, variables: ReturnType<ProviderAccessOptions['variablesOf']>): string {
  const set = variables ? `set ${variables.clientId} and ${variables.clientSecret}, or ` : ''
  const put = `an administrator can ${set}PUT /providers/${encodeURIComponent(id.toWellFormed())}`
  return `No provider '${id}' is connected: ${put}; or send a token as context.authorization [{"id": "${id}", "token": …}]`
}
