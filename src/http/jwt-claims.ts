import { type Principal, type Scope, SCOPES } from '../core/access/principal.ts'
import { isToolPattern } from '../core/tool/tool-pattern.ts'

/** A token that says nothing of scopes may use tools, and nothing else. */
const DEFAULT_SCOPES: readonly Scope[] = ['tools:read', 'tools:call']
/** What `sub` may be: it becomes a user, and part of an id that stands in logs. */
const SUBJECT = /^[^\p{Cc}]{1,256}$/u

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

/**
 * Who the claims of a verified JWT speak for: `sub` is the user, `scope` (RFC 8693 section 4.2) or the list `scopes`
 * the scopes, of which those of other systems are passed over, and `tools` the tool patterns. `users: "any"` counts
 * only beside the scope `admin`. A claim of the wrong form is refused, not passed over: it was meant to restrict.
 */
export function principalOfClaims(claims: Readonly<Record<string, unknown>>): Read<Principal> {
  const { sub } = claims
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) {
    return { ok: false, reason: "wanted a 'sub' claim of 1 to 256 printable characters" }
  }
  const scopes = scopesOf(claims)
  if (!scopes) return { ok: false, reason: "wanted 'scope' as words in a string, or 'scopes' as a list of strings" }
  const tools = claims['tools'] === undefined ? ['*'] : strings(claims['tools'])
  if (!tools?.every(isToolPattern)) return { ok: false, reason: "wanted 'tools' as a list of tool patterns" }
  const users = claims['users'] === 'any' && scopes.includes('admin') ? 'any' : [sub]
  return { ok: true, value: { id: `jwt:${sub}`, kind: 'jwt', scopes, tools, users } }
}

function scopesOf(claims: Readonly<Record<string, unknown>>): readonly Scope[] | undefined {
  const { scope, scopes } = claims
  if (scope === undefined && scopes === undefined) return DEFAULT_SCOPES
  const words = scope === undefined ? strings(scopes) : typeof scope === 'string' ? scope.split(' ') : undefined
  return words && SCOPES.filter((known) => words.includes(known))
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}
