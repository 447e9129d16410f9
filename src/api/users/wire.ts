import type { Grant } from '../../core/consent/authorization.ts'

/** Field by field, so that nothing a store keeps beside it is ever shown. */
export function encodeGrant({ provider, account, scopes, granted_at, expires_at, refreshable, toolkits }: Grant) {
  return { provider, account, scopes, granted_at, expires_at, refreshable, toolkits }
}

type ListedGrant = ReturnType<typeof encodeGrant>

export interface GrantAnswers {
  'GET /users/:user/grants': { readonly items: readonly ListedGrant[] }
  'DELETE /users/:user/grants': undefined
  'GET /users/:user/grants/:provider': ListedGrant
  'DELETE /users/:user/grants/:provider': undefined
}
