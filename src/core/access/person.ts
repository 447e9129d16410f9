export interface Person {
  readonly user: string
  /** Verified, in lower case. */
  readonly address?: string
  readonly groups: readonly string[]
}

export interface PersonClaims {
  readonly user?: string | undefined
  readonly groups: string
}

type Claims = Readonly<Record<string, unknown>>

const MAX_ADDRESS = 254
const MAX_GROUPS = 1_000
const MAX_GROUP = 256
/** ASCII only: some other letters become ASCII in lower case, such as U+212A, and some look like ASCII. */
const ADDRESS =
  /^[!#$%&'*+./0-9=?A-Z^_`a-z{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}$/
const USER = /^[^\p{Cc}]{1,256}$/u
const GOOGLE = /^(?:https:\/\/)?accounts\.google\.com$/
const MICROSOFT = /^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net|login\.microsoftonline\.us)\//

/** Returns the person, or the reason for a refusal as words that follow "it". */
export function toPerson(claims: Claims, { user: claim = 'email', groups }: PersonClaims): Person | string {
  const user = claim === 'email' ? getVerifiedEmail(claims) : claims[claim]
  if (typeof user !== 'string' || !USER.test(user)) {
    return claim === 'email'
      ? "has no verified e-mail address in 'email'"
      : `has no text of 1 to 256 characters in '${claim}'`
  }
  return { user, ...toPersonAttributes(claims, groups) }
}

export function toPersonAttributes(claims: Claims, groups: string): Omit<Person, 'user'> {
  const address = getVerifiedEmail(claims)
  return { ...(address === undefined ? {} : { address }), groups: parseGroups(claims[groups]) }
}

/**
 * Returns the verified address (OpenID Connect Core, section 5.1). Google verifies other domains only once, so it is trusted
 * only for its own and Workspace domains (`hd`). Any Entra tenant can set any address, so `xms_edov` must confirm the domain.
 */
export function getVerifiedEmail(claims: Claims): string | undefined {
  const { email, email_verified: isVerified, iss, hd } = claims
  if (typeof email !== 'string' || email.length > MAX_ADDRESS || !ADDRESS.test(email)) return undefined
  const issuer = typeof iss === 'string' ? iss : ''
  const address = email.toLowerCase()
  if (MICROSOFT.test(issuer)) return isTrue(claims['xms_edov']) ? address : undefined
  if (isVerified !== true) return undefined
  if (!GOOGLE.test(issuer)) return address
  const domain = emailDomain(address)
  return domain === 'gmail.com' || (typeof hd === 'string' && hd !== '') ? address : undefined
}

export function emailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

function parseGroups(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const groups = values.filter((group) => typeof group === 'string').filter((group) => group.length <= MAX_GROUP)
  return groups.slice(0, MAX_GROUPS)
}
