/** The most hosts that one implementation may name. */
export const MAX_HOSTS = 32

/**
 * What is wrong with an entry of `allowed_hosts`, or undefined. An entry is `host` or `host:port`, written as the URL
 * Standard writes a host: lower case, a name or an address, IPv6 in brackets, a name of other scripts in Punycode.
 */
export function hostProblem(entry: string): string | undefined {
  const wanted = 'wanted a host such as "api.example.com", or "api.example.com:8443"'
  if (/[/?#@\\*\s]/.test(entry) || !URL.canParse(`https://${entry}`)) return `${wanted}, got "${entry}"`
  const { host, port } = new URL(`https://${entry}`)
  // A port that is the scheme's own is not in a URL's host
  const written = port === '' && entry.endsWith(':443') ? `${host}:443` : host
  if (written !== entry) return `${wanted}, got "${entry}": did you mean "${written}"`
  return undefined
}

/** Whether a URL's host is one of these: an entry without a port stands for the scheme's own port. */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allowed.includes(url.host) || allowed.includes(`${url.hostname}:${port}`)
}
