import type { Person } from './person.ts'
import type { Principal } from './principal.ts'
import { rightsOf, type SignInRule } from './sign-in-rules.ts'

/** Somebody's being signed in in one browser. */
export interface Session {
  readonly id: string
  /** What it began with: the word of an OpenID provider, or an API key, of which the SHA-256 is kept in lower-case hex. */
  readonly by: { readonly issuer: string; readonly person: Person } | { readonly key: string }
  /** The principal's id when it began: whose it is in lists. */
  readonly owner: string
  /** Where it counts: scheme, host and port. */
  readonly origin: string
  /** What the browser calls itself. */
  readonly browser: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** ISO 8601, UTC. */
  readonly expires_at: string
}

/** Where sessions are kept. `hash` is the SHA-256 of what the browser has, in lower-case hex. Its answers are never stale. */
export interface SessionStore {
  create(session: Session, hash: string): Promise<void>
  find(hash: string): Promise<Session | undefined>
  /** Those of one principal, or all. */
  list(owner?: string): Promise<readonly Session[]>
  /** Ends one, of one principal or of anybody. Whether there was such a session. */
  remove(id: string, owner?: string): Promise<boolean>
}

/** Milliseconds. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000

/**
 * The principal that a person is who signed in: they act for themselves alone, and may do what the rules give them now.
 * Undefined where no rule is for them.
 */
export function principalOfPerson(person: Person, rules: readonly SignInRule[]): Principal | undefined {
  const rights = rightsOf(person, rules)
  return rights && { id: `person:${person.user}`, kind: 'person', ...rights, users: [person.user] }
}
