/** A client of the authorization server that an administrator registered. */
export interface OAuthClient {
  readonly client_id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: AuthMethod
  /** ISO 8601, UTC. */
  readonly created_at: string
}

/** RFC 7591, section 2. */
export type AuthMethod = (typeof AUTH_METHODS)[number]

export type NewOAuthClient = Omit<OAuthClient, 'client_id' | 'created_at'>

export interface OAuthClientStore {
  /** The secret, if it has one, is in no other answer. */
  create(origin: string, client: NewOAuthClient): Promise<OAuthClient & { readonly client_secret?: string }>
  list(): Promise<readonly OAuthClient[]>
  /** False where there was none. Its agents end with it. */
  remove(id: string): Promise<boolean>
}

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
