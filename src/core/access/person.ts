/** Somebody of whom an OpenID provider gave its word. */
export interface Person {
  /** The user that they are here. */
  readonly user: string
  /** Their e-mail address in lower case, where it is known to be theirs. */
  readonly address?: string
  readonly groups: readonly string[]
}

/** What is read of a provider's claims. */
export interface PersonClaims {
  /** The claim that says which user it is; absent: the verified e-mail address. */
  readonly user?: string | undefined
  /** The claim that lists their groups. */
  readonly groups: string
}

type Claims = Readonly<Record<string, unknown>>

const MAX_ADDRESS = 254
/** Of one person: a session keeps them. */
const MAX_GROUPS = 1_000
const MAX_GROUP = 256
/**
 * An address that is written in one way only. Letters beyond ASCII are left out: some become ASCII in lower case, such as
 * U+212A, and others look as if they were.
 */
const ADDRESS =
  /^[!#$%&'*+./0-9=?A-Z^_`a-z{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}$/
/** It becomes part of an id that stands in logs. */
const USER = /^[^\p{Cc}]{1,256}$/u
const GOOGLE = /^(?:https:\/\/)?accounts\.google\.com$/
const MICROSOFT = /^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net|login\.microsoftonline\.us)\//

/**
 * Who verified claims speak of, or what they lack, in words that follow "it". A user is named by the claim that is configured,
 * as it stands there, or by their verified e-mail address.
 */
export function personOf(claims: Claims, { user: claim = 'email', groups }: PersonClaims): Person | string {
  // An address that nobody verified must be no user's who is known by it
  const user = claim === 'email' ? verifiedAddress(claims) : claims[claim]
  if (typeof user !== 'string' || !USER.test(user)) {
    return claim === 'email'
      ? "has no verified e-mail address in 'email'"
      : `has no text of 1 to 256 characters in '${claim}'`
  }
  return { user, ...standingOf(claims, groups) }
}

/** What the rules judge a person by. */
export function standingOf(claims: Claims, groups: string): Omit<Person, 'user'> {
  const address = verifiedAddress(claims)
  return { ...(address === undefined ? {} : { address }), groups: groupsOf(claims[groups]) }
}

/**
 * The e-mail address of verified claims, in lower case, where the provider says that it is the person's (OpenID Connect Core,
 * section 5.1); undefined else. Google verifies addresses of domains that are not its customers' only once, when an account is
 * made: it answers for its own and, in `hd`, for those of a Workspace. Microsoft Entra has no `email_verified`; it says in
 * `xms_edov` that the domain's owner is the tenant, and without that anybody's tenant may write any address.
 */
export function verifiedAddress(claims: Claims): string | undefined {
  const { email, email_verified: isVerified, iss, hd } = claims
  if (typeof email !== 'string' || email.length > MAX_ADDRESS || !ADDRESS.test(email)) return undefined
  const issuer = typeof iss === 'string' ? iss : ''
  const address = email.toLowerCase()
  if (MICROSOFT.test(issuer)) return isTrue(claims['xms_edov']) ? address : undefined
  if (isVerified !== true) return undefined
  if (!GOOGLE.test(issuer)) return address
  const domain = domainOf(address)
  return domain === 'gmail.com' || (typeof hd === 'string' && hd !== '') ? address : undefined
}

/** What stands behind the `@`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

/** Providers list groups, or name a single one. What is no text, or longer than a rule can name, is no group. */
function groupsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  const named = all.filter((group) => typeof group === 'string').filter((group) => group.length <= MAX_GROUP)
  return named.slice(0, MAX_GROUPS)
}
