import type { Person } from './person.ts'
import type { Principal } from './principal.ts'
import { rightsOf, type SignInRule } from './sign-in-rules.ts'

export interface Session {
  readonly id: string
  /** An OpenID provider's person, or the SHA-256 of an API key in lower-case hex. */
  readonly by: { readonly issuer: string; readonly person: Person } | { readonly key: string }
  /** The principal's id when it began. */
  readonly owner: string
  /** Scheme, host and port where it is valid. */
  readonly origin: string
  /** The User-Agent. */
  readonly browser: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** ISO 8601, UTC. */
  readonly expires_at: string
}

/** `hash` is the SHA-256 of the browser's secret, in lower-case hex. Never stale. */
export interface SessionStore {
  create(session: Session, hash: string): Promise<void>
  find(hash: string): Promise<Session | undefined>
  /** One principal's, or all. */
  list(owner?: string): Promise<readonly Session[]>
  /** One principal's, or anybody's. False where there was none. */
  remove(id: string, owner?: string): Promise<boolean>
}

export const SESSION_LIFETIME_MS = 12 * 3_600_000

/** Acts for the person alone, with the rights that the rules give now; undefined where no rule matches. */
export function principalOfPerson(person: Person, rules: readonly SignInRule[]): Principal | undefined {
  const rights = rightsOf(person, rules)
  return rights && { id: `person:${person.user}`, kind: 'person', ...rights, users: [person.user] }
}
