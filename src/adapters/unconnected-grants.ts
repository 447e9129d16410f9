import type { Grants } from '../core/requirements.ts'

/** Grants of a deployment that is connected to no provider: every token has to come with the call. */
export const unconnectedGrants: Grants = {
  async tokenFor({ requirement: { id, oauth2 }, reachedAt }) {
    const { origin } = new URL(reachedAt())
    return {
      challenge: { id, url: `${origin}/authorizations/${encodeURIComponent(id)}/start`, scopes: oauth2?.scopes ?? [] },
      reason: `No provider '${id}' is connected: send a token as context.authorization [{"id": "${id}", "token": …}]`,
    }
  },
}
