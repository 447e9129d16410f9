import type { Grant } from './authorization.ts'
import type { CredentialKind } from './credential-provider.ts'

export const CONNECTION_STATES = ['working', 'refused', 'ended', 'unknown'] as const

/** A grant, and how it works. */
export interface StoredConnection extends Grant {
  /** `working`: given to a call, and not refused since. `ended`: cannot be used. `unknown`: never given to a call. */
  readonly state: (typeof CONNECTION_STATES)[number]
  /** The provider no longer accepts it, so that it is no grant any more. */
  readonly isLost: boolean
  readonly last_used_at?: string
  readonly last_refused_at?: string
  readonly reason?: string
  /** Who it is by the provider's answer to a check. */
  readonly answered_as?: string | undefined
}

export interface Connection extends StoredConnection {
  readonly provider_name: string
  /** Absent if the deployment no longer has the provider. */
  readonly kind?: 'oauth2' | CredentialKind
}

export interface UserConnections {
  /** Those that providers ended too, until they are connected anew or disconnected. */
  listConnections(userId: string): Promise<readonly Connection[]>
  /** Asks the provider now. Undefined if the provider or the grant is gone. */
  checkConnection(userId: string, provider: string, account: string): Promise<Connection | undefined>
}
