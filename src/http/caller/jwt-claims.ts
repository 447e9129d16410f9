import { type Person, type PersonClaims, toPerson, toPersonAttributes } from '../../core/access/person.ts'
import { hasScope, type Principal, type Scope, SCOPES } from '../../core/access/principal.ts'
import { type AccessRights, resolveRights, type SignInRule } from '../../core/access/sign-in-rules.ts'
import * as json from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { toolPattern } from '../../core/tool/tool-id.ts'

const DEFAULT_SCOPES: readonly Scope[] = ['tools:read', 'tools:call']

const CLAIMS = json.looseObject({
  sub: json.stringMatching('1 to 256 printable characters', /^[^\p{Cc}]{1,256}$/u),
  scope: json.optional(json.transform(json.string(), (words) => words.split(' ').filter((word) => word !== ''))),
  scopes: json.optional(json.stringArray),
  tools: json.optional(json.array(toolPattern)),
  users: json.anyJson,
})

export interface SignInPolicy {
  readonly issuer?: string | undefined
  readonly claims: PersonClaims
  readonly rules?: readonly SignInRule[] | undefined
}

type ClaimsRefusal =
  | { readonly ok: false; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly lacks: string }
  | { readonly ok: false; readonly unruled: string }

/**
 * `scope` is RFC 8693's (section 4.2). Clients choose scopes, so those of a provider's token only narrow what rules give, or
 * what everybody gets where none applies. Whoever has the secret says what its tokens may do: then there are no `people`.
 */
export function toJwtPrincipal(
  claims: Readonly<Record<string, unknown>>,
  issuer?: string,
  people?: SignInPolicy,
): { readonly ok: true; readonly value: Principal } | ClaimsRefusal {
  const read = json.parseValue(
    json.hideValue(CLAIMS),
    claims.scope === undefined ? claims : { ...claims, scopes: undefined },
  )
  if (!read.ok) return read
  const { sub, scope, scopes = scope, tools, users } = read.value
  const own = scopes && SCOPES.filter((known) => scopes.includes(known))
  const person = people && personIn(claims, sub, people)
  if (typeof person === 'string') return { ok: false, lacks: person }
  const user = issuer === undefined ? (person?.user ?? sub) : `${issuer}|${person?.user ?? sub}`
  const asked = own ?? DEFAULT_SCOPES
  let rights: AccessRights = { scopes: people ? intersectScopes(asked, DEFAULT_SCOPES) : asked, tools: tools ?? ['*'] }
  if (person && people?.rules && tools === undefined) {
    const given = resolveRights(person, people.rules)
    if (!given) return { ok: false, unruled: user }
    // Scopes of other systems alone do not restrict, and an empty list means no access
    const isOurs = own !== undefined && (own.length > 0 || scopes?.length === 0)
    rights = isOurs ? { ...given, scopes: intersectScopes(given.scopes, own) } : given
  }
  const anybody = users === 'any' && rights.scopes.includes('admin')
  return { ok: true, value: { id: `jwt:${user}`, kind: 'jwt', ...rights, users: anybody ? 'any' : [user] } }
}

/** A string says what the token lacks. A service has no e-mail address, and is its `sub`. */
function personIn(
  claims: Readonly<Record<string, unknown>>,
  sub: string,
  { issuer, claims: named }: SignInPolicy,
): Person | string {
  const isTheirs = issuer === undefined ? named.user !== undefined : claims['iss'] === issuer
  // No `sub` may be taken for somebody's verified address
  const isService = named.user === undefined && claims['email'] === undefined && !sub.includes('@')
  if (isTheirs && !isService) return toPerson(claims, named)
  return { user: sub, ...toPersonAttributes(claims, named.groups) }
}

function intersectScopes(some: readonly Scope[], others: readonly Scope[]): readonly Scope[] {
  return SCOPES.filter((scope) => hasScope({ scopes: some }, scope) && hasScope({ scopes: others }, scope))
}
