import { type Principal, type Scope, SCOPES } from '../core/access/principal.ts'
import { anything, check, into, list, object, optional, string, strings, text } from '../core/tool/json-reader.ts'
import { unquoted } from '../core/tool/json-reader.ts'
import type { Checked } from '../core/tool/problem.ts'
import { toolPattern } from '../core/tool/tool-id.ts'

/** A token that says nothing of scopes may use tools, and nothing else. */
const DEFAULT_SCOPES: readonly Scope[] = ['tools:read', 'tools:call']

const CLAIMS = object(
  {
    // It becomes a user, and part of an id that stands in logs
    sub: text('1 to 256 printable characters', /^[^\p{Cc}]{1,256}$/u),
    scope: optional(into(string(), (words) => words.split(' '))),
    scopes: optional(strings),
    tools: optional(list(toolPattern), ['*']),
    users: anything,
  },
  { unknown: 'ignore' },
)

/**
 * Who the claims of a verified JWT speak for: `sub` is the user, of that issuer where there are several, `scope` (RFC 8693 section 4.2) or, without it, the list
 * `scopes` the scopes, of which those of other systems are passed over, and `tools` the tool patterns. `users: "any"`
 * counts only beside the scope `admin`. A claim of the wrong form is refused, not passed over: it was meant to restrict.
 */
export function principalOfClaims(claims: Readonly<Record<string, unknown>>, issuer?: string): Checked<Principal> {
  const read = check(unquoted(CLAIMS), claims.scope === undefined ? claims : { ...claims, scopes: undefined })
  if (!read.ok) return read
  const { sub, scope, scopes = scope, tools, users } = read.value
  const held = scopes ? SCOPES.filter((known) => scopes.includes(known)) : DEFAULT_SCOPES
  const anybody = users === 'any' && held.includes('admin')
  const user = issuer === undefined ? sub : `${issuer}|${sub}`
  return { ok: true, value: { id: `jwt:${user}`, kind: 'jwt', scopes: held, tools, users: anybody ? 'any' : [user] } }
}
