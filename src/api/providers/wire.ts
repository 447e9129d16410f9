import type { Provider } from '../../core/consent/provider.ts'

/** Holds no secret: a client's is known by the name of a Worker secret. */
export function encodeProvider(provider: Provider, from: 'given' | 'built-in') {
  const { id, name, issuer, authorization_endpoint, token_endpoint, revocation_endpoint, client_id } = provider
  const { client_secret_name, token_endpoint_auth_method, authorization_parameters, extra_scopes } = provider
  const { scope_separator, tools } = provider
  return {
    id,
    name,
    issuer,
    authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    client_id,
    client_secret_name,
    token_endpoint_auth_method,
    authorization_parameters,
    extra_scopes,
    scope_separator,
    tools,
    built_in: from === 'built-in' ? true : undefined,
  }
}

type ListedProvider = ReturnType<typeof encodeProvider>

export interface ProviderAnswers {
  'GET /providers': { readonly items: readonly ListedProvider[] }
  'GET /providers/:id': ListedProvider
  'PUT /providers/:id': ListedProvider
  'DELETE /providers/:id': undefined
}
