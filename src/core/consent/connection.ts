import type { Grant, UserGrants } from './authorization.ts'
import type { CredentialKind } from './credential-provider.ts'

/** A grant and its state. */
export interface StoredConnection extends Grant {
  /** `working`: used and not refused since. `ended`: no longer accepted by the provider, so no grant. `unknown`: never used. */
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
  /** Includes connections that providers ended, until they are reconnected or disconnected. */
  listConnections(userId: string): Promise<readonly UserConnection[]>
  /** Asks the provider now. Returns undefined if the provider or the grant is gone. */
  checkConnection(userId: string, provider: string, account: string): Promise<UserConnection | undefined>
}
