import type { SettingStore } from '../tool/precondition.ts'
import { isRequirementId } from '../tool/tool.ts'
import { APPROVAL, SIGN_IN } from './authorization.ts'
import type { CredentialProvider } from './credential-provider.ts'
import type { IdentityAssertion } from './identity-assertion.ts'

/** A provider where people consent, or one for which people enter their own credential. */
export type Provider = OAuthProvider | CredentialProvider

export interface OAuthProvider {
  readonly id: string
  readonly name: string
  readonly kind?: never
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly revocation_endpoint?: string
  readonly client_id: string
  readonly client_secret_name?: string
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  readonly authorization_parameters?: Readonly<Record<string, string>>
  readonly extra_scopes?: readonly string[]
  readonly scope_separator?: string
  readonly tools?: readonly string[]
  readonly identity_assertion?: IdentityAssertion
}

/** A provider that a tool may use, or the reason why not, for an administrator. */
export type ProviderResult =
  { readonly ok: true; readonly value: Provider } | { readonly ok: false; readonly reason: string }

export function findMissingSecret(
  { id, client_secret_name: name }: Provider,
  readSecret: (name: string) => string | undefined,
): string | undefined {
  if (name === undefined || readSecret(name) !== undefined) return undefined
  return `The secret of the client at '${id}' is missing: an administrator can set it as the Worker secret '${name}'`
}

/** The expected result of one step of a connection, described for an administrator. */
export interface ProviderTestStep {
  readonly name: 'secret' | 'endpoints' | 'authorization' | 'token' | 'check'
  readonly state: 'ok' | 'failed' | 'unclear'
  readonly message: string
}

/** `callback` is the redirect URI. */
export type TestProvider = (provider: Provider, callback: string) => Promise<readonly ProviderTestStep[]>

export interface Providers {
  find(id: string): Promise<Provider | undefined>
}

export type ListedProvider = Provider & { readonly built_in?: true }

export interface AllProviders extends Providers {
  /** Sorted by id. */
  list(): Promise<readonly ListedProvider[]>
}

export type ProviderStore = SettingStore<Provider>

export type KnownProvider = Omit<OAuthProvider, 'id' | 'kind' | 'client_id' | 'client_secret_name' | 'tools'>

export function isProviderId(text: string): boolean {
  return isRequirementId(text) && text !== APPROVAL && text !== SIGN_IN
}
