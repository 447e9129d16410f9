import type { Principal } from './principal.ts'

/** Whose something stored is. A user and a principal may have the same id, and are never the same holder. */
export interface Holder {
  readonly kind: 'user' | 'principal'
  readonly id: string
}

/** The principal's one user, or else the principal itself. */
export function toHolder({ id, users }: Principal): Holder {
  const [onlyUser, ...otherUsers] = users === 'any' ? [] : users
  return onlyUser !== undefined && otherUsers.length === 0 ? { kind: 'user', id: onlyUser } : { kind: 'principal', id }
}

/** As JSON, since the platform takes lone surrogates in a name for one another. */
export function formatHolder({ kind, id }: Holder): string {
  return JSON.stringify([kind, id])
}
