/** A client of the authorization server that an administrator gave. */
export interface OAuthClient {
  readonly client_id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: AuthMethod
  /** ISO 8601, UTC. */
  readonly created_at: string
}

/** How a client shows at the token endpoint who it is (RFC 7591, section 2). */
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** What whoever gives a client says of it. */
export type NewOAuthClient = Omit<OAuthClient, 'client_id' | 'created_at'>

/** Where clients are kept. */
export interface OAuthClientStore {
  /** Gives the client with its secret, if it has one, which is in no other answer. */
  create(origin: string, client: NewOAuthClient): Promise<OAuthClient & { readonly client_secret?: string }>
  list(): Promise<readonly OAuthClient[]>
  /** Whether there was such a client. Its agents end with it. */
  remove(id: string): Promise<boolean>
}

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
