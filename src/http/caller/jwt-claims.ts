import type { FindMembership } from '../../core/access/directory.ts'
import { type Person, type PersonClaims, toPerson, toPersonAttributes } from '../../core/access/person.ts'
import { hasScope, type Principal, type Scope, SCOPES } from '../../core/access/principal.ts'
import { resolvePersonRights } from '../../core/access/session.ts'
import type { AccessRights, SignInRule } from '../../core/access/sign-in-rules.ts'
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
  readonly findMembership?: FindMembership
}

type ClaimsRefusal =
  | { readonly ok: false; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly missingClaim: string }
  | { readonly ok: false; readonly unmatchedUser: string }
  | { readonly ok: false; readonly deactivatedUser: string }

/**
 * Maps verified claims (`jwt.ts`) to a principal. `scope` is RFC 8693's (section 4.2); an empty list means no access.
 *
 * - A token signed with the deployment's secret has no `policy`: its own `scopes` and `tools` apply.
 * - A provider's token: SIGN_IN_RULES decide, unless it has `tools`. Clients choose scopes, so the token's scopes only
 *   narrow; if none of them are ours, they restrict nothing. Users deactivated in the company's directory get no access.
 * - The user is the verified e-mail address or the claim of SIGN_IN_USER, and for services `sub`. If there are several
 *   issuers, `issuer|` is prefixed. `users: "any"` needs the scope `admin`.
 */
export async function toJwtPrincipal(
  claims: Readonly<Record<string, unknown>>,
  issuer?: string,
  policy?: SignInPolicy,
): Promise<{ readonly ok: true; readonly value: Principal } | ClaimsRefusal> {
  const parsedClaims = json.parseValue(
    json.hideValue(CLAIMS),
    claims.scope === undefined ? claims : { ...claims, scopes: undefined },
  )
  if (!parsedClaims.ok) return parsedClaims
  const { sub, scope, scopes = scope, tools, users } = parsedClaims.value
  const tokenScopes = scopes && SCOPES.filter((ownScope) => scopes.includes(ownScope))
  const person = policy && readPerson(claims, sub, policy)
  if (typeof person === 'string') return { ok: false, missingClaim: person }
  const user = issuer === undefined ? (person?.user ?? sub) : `${issuer}|${person?.user ?? sub}`
  const foreign = issuer === undefined || issuer === policy?.issuer ? {} : { foreignId: person?.user ?? sub }
  const membership = person && (await policy?.findMembership?.({ ...person, user, ...foreign }))
  if (membership?.isActive === false) return { ok: false, deactivatedUser: user }
  const requestedScopes = tokenScopes ?? DEFAULT_SCOPES
  let rights: AccessRights = {
    scopes: policy ? intersectScopes(requestedScopes, DEFAULT_SCOPES) : requestedScopes,
    tools: tools ?? ['*'],
  }
  if (person && policy?.rules && tools === undefined) {
    const grantedRights = resolvePersonRights(person, policy.rules, membership)
    if (!grantedRights) return { ok: false, unmatchedUser: user }
    // Scopes of other systems alone do not restrict, and an empty list means no access
    const narrowsScopes = tokenScopes !== undefined && (tokenScopes.length > 0 || scopes?.length === 0)
    rights = narrowsScopes
      ? { ...grantedRights, scopes: intersectScopes(grantedRights.scopes, tokenScopes) }
      : grantedRights
  }
  const actsForAnyUser = users === 'any' && rights.scopes.includes('admin')
  return { ok: true, value: { id: `jwt:${user}`, kind: 'jwt', ...rights, users: actsForAnyUser ? 'any' : [user] } }
}

/** Returns a string if a claim is missing. A service has no e-mail address, so its user is its `sub`. */
function readPerson(
  claims: Readonly<Record<string, unknown>>,
  sub: string,
  { issuer, claims: claimNames }: SignInPolicy,
): Person | string {
  const isFromIssuer = issuer === undefined ? claimNames.user !== undefined : claims['iss'] === issuer
  // A `sub` must not pass for someone's verified address
  const isService = claimNames.user === undefined && claims['email'] === undefined && !sub.includes('@')
  if (isFromIssuer && !isService) return toPerson(claims, claimNames)
  return { user: sub, ...toPersonAttributes(claims, claimNames.groups) }
}

function intersectScopes(first: readonly Scope[], second: readonly Scope[]): readonly Scope[] {
  return SCOPES.filter((scope) => hasScope({ scopes: first }, scope) && hasScope({ scopes: second }, scope))
}
