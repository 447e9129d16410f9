import type { ImportedProvider } from '../../core/publish/import.ts'
import type { JsonObject } from '../../core/tool/json.ts'

export interface CredentialUse {
  readonly credentials: readonly JsonObject[]
  /** Undefined for a credential without scopes, such as a key that a person enters. */
  readonly scopes: readonly string[] | undefined
  readonly provider?: ImportedProvider
}

export function credentialNeeds(uses: readonly CredentialUse[]) {
  const secrets = new Set<string>()
  const authorization = new Map<string, readonly string[] | undefined>()
  for (const { credentials, scopes } of uses) {
    for (const { secret, authorization: provider } of credentials) {
      if (typeof secret === 'string') secrets.add(secret)
      if (typeof provider !== 'string') continue
      const earlierScopes = authorization.get(provider)
      authorization.set(provider, scopes ? [...new Set([...(earlierScopes ?? []), ...scopes])] : earlierScopes)
    }
  }
  return {
    secrets: [...secrets].map((id) => ({ id })),
    authorization: [...authorization].map(([id, scopes]) => (scopes ? { id, oauth2: { scopes } } : { id })),
  }
}
