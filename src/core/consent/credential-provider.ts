/** One value that a person enters on the consent page. */
export interface CredentialField {
  readonly name: string
  readonly label: string
  readonly help?: string
  /** As in JSON Schema. */
  readonly pattern?: string
  readonly isSecret: boolean
}

/** A request that only succeeds with a valid credential. `{name}` in its URL and headers stands for a field. */
export interface ProviderCheck {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON Pointer to the account's name in the response. */
  readonly account?: string
}

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

/** A provider for which people enter their own key, token or password. */
export interface CredentialProvider {
  readonly id: string
  readonly name: string
  readonly kind: CredentialKind
  /** The fields to enter, which follow from the kind unless it is `fields`. */
  readonly fields: readonly CredentialField[]
  readonly help?: string
  readonly help_url?: string
  readonly check?: ProviderCheck
  readonly tools?: readonly string[]
  readonly identity_assertion?: never
  readonly client_secret_name?: never
  readonly extra_scopes?: never
}

/** The values of the fields by name. */
export type CredentialValues = Readonly<Record<string, string>>

export const CREDENTIAL_KINDS = ['api_key', 'bearer', 'basic', 'fields'] as const
/** In characters: JSON Web Tokens are the longest. */
export const MAX_CREDENTIAL = 4_096

/** A variable in a check's templates. */
export const VARIABLE = /\{([A-Za-z0-9_-]+)\}/g
