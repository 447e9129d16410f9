/** One value that a person enters on the consent page. */
export interface CredentialField {
  readonly name: string
  readonly label: string
  readonly help?: string
  /** As in JSON Schema. */
  readonly pattern?: string
  readonly isSecret: boolean
}

/** A request that only succeeds with a right credential. `{name}` in its URL and headers stands for a field. */
export interface ProviderCheck {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON Pointer to what names the account in the answer. */
  readonly account?: string
}

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

/** A provider whose people enter a key, a token or a password of their own. */
export interface CredentialProvider {
  readonly id: string
  readonly name: string
  readonly kind: CredentialKind
  /** What is asked for; by the kind, but for `fields`. */
  readonly fields: readonly CredentialField[]
  readonly help?: string
  readonly help_url?: string
  readonly check?: ProviderCheck
  readonly tools?: readonly string[]
  readonly identity_assertion?: never
  readonly client_secret_name?: never
  readonly extra_scopes?: never
}

/** The values of the fields, by their names. */
export type CredentialValues = Readonly<Record<string, string>>

export const CREDENTIAL_KINDS = ['api_key', 'bearer', 'basic', 'fields'] as const
/** In characters: JSON Web Tokens are the longest. */
export const MAX_CREDENTIAL = 4_096

/** In templates of a check. */
export const VARIABLE = /\{([A-Za-z0-9_-]+)\}/g
