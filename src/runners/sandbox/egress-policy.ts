/** Plain data, since it travels as the entrypoint's properties. */
export type EgressPolicy = NonNullable<ReturnType<typeof egressPolicy>>

export function egressPolicy(
  { allowed_hosts, timeout_ms }: { readonly allowed_hosts: readonly string[]; readonly timeout_ms: number },
  toolkit: string,
  /** Empty where callers share an isolate, and so its way out. */
  caller: string,
  allowHttpHosts: ReadonlySet<string>,
  credentials: readonly PlacedCredential[],
  sensitive: readonly string[],
) {
  if (allowed_hosts.length === 0) return null
  const reach = { allowedHosts: allowed_hosts, allowHttpHosts: [...allowHttpHosts] }
  return { ...reach, credentials, sensitive, toolkit, caller, timeoutMs: timeout_ms }
}

export interface PlacedCredential {
  readonly hosts: readonly string[]
  readonly in: 'header' | 'query'
  readonly name: string
  readonly text: string
}

/** Only the gateway's refusals have it: it is taken out of others' answers. */
export const REFUSED_HEADER = 'switchboard-refused'
