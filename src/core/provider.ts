/** An OAuth 2.0 provider as a deployment knows it, in the words of RFC 8414. */
export interface Provider {
  readonly id: string
  /** What people call it, such as "Google". */
  readonly name: string
  /** To discover the endpoints that are not given (RFC 8414, OpenID Connect Discovery). */
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly revocation_endpoint?: string
  readonly client_id: string
  /** The Worker secret that holds the client's secret; absent for a public client. */
  readonly client_secret_name?: string
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  /** Added to the authorization request, such as `{"access_type": "offline"}`. */
  readonly authorization_parameters?: Readonly<Record<string, string>>
  /** What stands between scopes; a space unless a provider differs from RFC 6749. */
  readonly scope_separator?: string
  /** The tools that may act with its grants, as patterns; all when absent. */
  readonly tools?: readonly string[]
}

/** Where providers are found: those the deployment was given, then the well-known ones it has credentials for. */
export interface Providers {
  find(id: string): Promise<Provider | undefined>
}
