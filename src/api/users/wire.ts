import type { Grant } from '../../core/consent/authorization.ts'

/** A grant field by field, so that nothing a store keeps beside it is ever shown. */
export function encodeGrant({ provider, scopes, granted_at, expires_at, refreshable }: Grant) {
  return { provider, scopes, granted_at, expires_at, refreshable }
}
