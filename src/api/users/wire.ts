import type { Grant } from '../../core/consent/authorization.ts'

const MAX_USER = 256

/** What is wrong with a text as a user's id, or undefined. */
export function userProblem(user: string): string | undefined {
  if (user.length >= 1 && user.length <= MAX_USER) return undefined
  return `A user's id must be 1 to ${MAX_USER} characters long, got ${user.length}`
}

/** A grant field by field, so that nothing a store keeps beside it is ever shown. */
export function encodeGrant({ provider, scopes, granted_at, expires_at, refreshable }: Grant) {
  return { provider, scopes, granted_at, ...(expires_at !== undefined && { expires_at }), refreshable }
}

export function encodeGrants(grants: readonly Grant[]) {
  return { items: grants.map(encodeGrant) }
}
