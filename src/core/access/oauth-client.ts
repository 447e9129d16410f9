export interface OAuthClient {
  readonly client_id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: (typeof AUTH_METHODS)[number]
  readonly created_at: string
}

export type NewOAuthClient = Omit<OAuthClient, 'client_id' | 'created_at'>

export interface OAuthClientStore {
  create(origin: string, client: NewOAuthClient): Promise<OAuthClient & { readonly client_secret?: string }>
  list(): Promise<readonly OAuthClient[]>
  remove(id: string): Promise<boolean>
}

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
