import type { Grant } from '../../core/consent/authorization.ts'

/** A grant field by field, so that nothing a store keeps beside it is ever shown. */
export function encodeGrant({ provider, account, scopes, granted_at, expires_at, refreshable, toolkits }: Grant) {
  return { provider, account, scopes, granted_at, expires_at, refreshable, toolkits }
}
