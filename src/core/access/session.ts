import type { Membership } from './directory.ts'
import type { Person } from './person.ts'
import { type AccessRights, resolveRights, type SignInRule } from './sign-in-rules.ts'

/** How a person was identified: by the sign-in provider, or by an API key, of which only the hash is stored. */
export type IdentityProof =
  | { readonly kind: 'person'; readonly issuer: string; readonly person: Person }
  | { readonly kind: 'key'; readonly hash: string }

export interface Session {
  readonly id: string
  readonly authenticatedBy: IdentityProof
  readonly owner: string
  readonly origin: string
  readonly browser: string
  readonly created_at: string
  readonly expires_at: string
}

/** `hash` is the SHA-256 of the browser's secret in lower-case hex. Reads are never stale. */
export interface SessionStore {
  create(session: Session, hash: string): Promise<void>
  find(hash: string): Promise<Session | undefined>
  list(owner?: string): Promise<readonly Session[]>
  remove(id: string, owner?: string): Promise<boolean>
  /** Removes all sessions of a principal except one. Returns the number removed. */
  removeAll(owner: string, exceptId?: string): Promise<number>
}

export const SESSION_LIFETIME_MS = 12 * 3_600_000

export function toPersonId(user: string): string {
  return `person:${user}`
}

/** Applies the rules to the person's own groups and those in the directory. A person deactivated there has no rights. */
export function resolvePersonRights(
  person: Person,
  rules: readonly SignInRule[],
  { isActive, groups }: Membership = { isActive: true, groups: [] },
): AccessRights | undefined {
  return isActive ? resolveRights({ ...person, groups: [...person.groups, ...groups] }, rules) : undefined
}

export function toPersonPrincipal(person: Person, rules: readonly SignInRule[], membership?: Membership) {
  const rights = resolvePersonRights(person, rules, membership)
  return rights && { id: toPersonId(person.user), kind: 'person' as const, ...rights, users: [person.user] }
}
