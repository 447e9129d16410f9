import type { Principal } from './principal.ts'

/** The owner of stored data. A user and a principal with the same id are different holders. */
export interface Holder {
  readonly kind: 'user' | 'principal'
  readonly id: string
}

/** Returns the principal's user if it has exactly one, otherwise the principal. */
export function toHolder({ id, users }: Principal): Holder {
  const [onlyUser, ...otherUsers] = users === 'any' ? [] : users
  return onlyUser !== undefined && otherUsers.length === 0 ? { kind: 'user', id: onlyUser } : { kind: 'principal', id }
}

/** Formats as JSON, since the platform treats all lone surrogates in a name as equal. */
export function formatHolder({ kind, id }: Holder): string {
  return JSON.stringify([kind, id])
}
