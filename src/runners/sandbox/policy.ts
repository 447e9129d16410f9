/**
 * Where a sandbox may send requests, and what is added to them outside of it. It travels as the properties of the
 * entrypoint that takes the requests, so it is plain data.
 */
export interface EgressPolicy {
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[]
  /** The deployment's `host:port`s that may be private, and reached over http. */
  readonly allowHttpHosts: readonly string[]
  readonly credentials: readonly PlacedCredential[]
  /** What must not be read back from an answer. */
  readonly sensitive: readonly string[]
  /** Whose tool sends the requests. */
  readonly toolkit: string
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number
}

/** The policy of an implementation; null, which cuts its sandbox off from the network, where it names no hosts. */
export function egressPolicy(
  { allowed_hosts, timeout_ms }: { readonly allowed_hosts: readonly string[]; readonly timeout_ms: number },
  toolkit: string,
  allowHttpHosts: ReadonlySet<string>,
  credentials: readonly PlacedCredential[],
  sensitive: readonly string[],
): EgressPolicy | null {
  if (allowed_hosts.length === 0) return null
  const reach = { allowedHosts: allowed_hosts, allowHttpHosts: [...allowHttpHosts] }
  return { ...reach, credentials, sensitive, toolkit, timeoutMs: timeout_ms }
}

/** A credential of one call, in the words in which it is sent, for these hosts alone. */
export interface PlacedCredential {
  readonly hosts: readonly string[]
  readonly in: 'header' | 'query'
  readonly name: string
  readonly text: string
}

/** The header by which the gateway's own refusals are told from the answers of others, which never have it. */
export const REFUSED_HEADER = 'switchboard-refused'
