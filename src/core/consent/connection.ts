import type { Grant, UserGrants } from './authorization.ts'
import type { CredentialKind } from './credential-provider.ts'

/** A grant, and how it works. */
export interface StoredConnection extends Grant {
  /** `working`: given to a call, and not refused since. `ended`: no longer accepted by the provider, and no grant any more. `unknown`: never given to a call. */
  readonly state: 'working' | 'refused' | 'ended' | 'unknown'
  readonly last_used_at?: string
  readonly last_refused_at?: string
  readonly reason?: string
  readonly answered_as?: string | undefined
}

export interface UserConnection extends StoredConnection {
  readonly provider_name: string
  /** Absent if the deployment no longer has the provider. */
  readonly kind?: 'oauth2' | CredentialKind
}

export interface UserConnections extends UserGrants {
  /** Those that providers ended too, until they are connected anew or disconnected. */
  listConnections(userId: string): Promise<readonly UserConnection[]>
  /** Asks the provider now. Undefined if the provider or the grant is gone. */
  checkConnection(userId: string, provider: string, account: string): Promise<UserConnection | undefined>
}
