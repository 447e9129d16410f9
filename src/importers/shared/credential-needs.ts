import type { JsonObject } from '../../core/tool/json.ts'

export interface CredentialUse {
  readonly credentials: readonly JsonObject[]
  readonly scopes: readonly string[]
}

export function credentialNeeds(uses: readonly CredentialUse[]) {
  const secrets = new Set<string>()
  const authorization = new Map<string, readonly string[]>()
  for (const { credentials, scopes } of uses) {
    for (const { secret, authorization: provider } of credentials) {
      if (typeof secret === 'string') secrets.add(secret)
      if (typeof provider !== 'string') continue
      authorization.set(provider, [...new Set([...(authorization.get(provider) ?? []), ...scopes])])
    }
  }
  return {
    secrets: [...secrets].map((id) => ({ id })),
    authorization: [...authorization].map(([id, scopes]) => ({ id, oauth2: { scopes } })),
  }
}
