import { judged, list, text } from '../../core/tool/json-reader.ts'

/**
 * Reads an entry of `allowed_hosts`: `host` or `host:port`, written as the URL Standard writes a host: lower case, a name
 * or an address, IPv6 in brackets, a name of other scripts in Punycode.
 */
export const allowedHost = judged(
  text(
    "a host such as 'api.example.com', or 'api.example.com:8443'",
    (entry) => !/[/?#@\\*\s]/.test(entry) && URL.canParse(`https://${entry}`),
  ),
  (entry) => {
    const { host, port } = new URL(`https://${entry}`)
    // A port that is the scheme's own is not in a URL's host
    const written = port === '' && entry.endsWith(':443') ? `${host}:443` : host
    return written === entry
      ? undefined
      : `Must be written as URLs write hosts: did you mean '${written.slice(0, 100)}'?`
  },
)

/** Reads the hosts that one implementation names. */
export const allowedHosts = list(allowedHost, { most: 32 })

/** Whether a URL's host is one of these: an entry without a port stands for the scheme's own port. */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allowed.includes(url.host) || allowed.includes(`${url.hostname}:${port}`)
}
