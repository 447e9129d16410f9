import ipaddr from 'ipaddr.js'

/** Names that never leave a host or a local network (RFC 6761, 6762 with its appendix G, 8375, and common practice). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** The global unicast addresses (RFC 4291 section 2.4). Other IPv6 addresses embed IPv4, or are not public. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Requires https, and a public address or a name that may have one. `allowHttpHosts` (`host[:port]`) lifts both rules.
 * Only the flag `global_fetch_strictly_public` catches names that *resolve* to a private address, and only in production.
 */
export function createUrlCheck(allowHttpHosts: ReadonlySet<string>): (url: URL) => string | undefined {
  const allowedHosts = new Set([...allowHttpHosts].map((host) => host.toLowerCase()))
  return (url) => {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return `wanted "https:", got "${url.protocol}"`
    if (url.username !== '' || url.password !== '') return 'the URL must not hold a user name or password'
    if (allowedHosts.has(url.host) || allowedHosts.has(`${url.hostname}:${getPort(url)}`)) return undefined
    if (url.protocol === 'http:') return 'wanted "https:", got "http:"'
    return checkHostname(url.hostname)
  }
}

/** People paste the command into a shell, and a URL's host may contain `;` and `$`. */
const SAFE_HOST = /^[\w.-]+(?::\d+)?$/

/** Explains, to callers who may publish, how to allow a refused URL. Undefined if allowing its host would not help. */
export function formatAllowHint(url: URL): string | undefined {
  const { host } = url
  if (createUrlCheck(new Set([host]))(url) !== undefined) return undefined
  const safeHost = SAFE_HOST.test(host) ? host : '<host:port>'
  return `An administrator allows its host: ALLOW_HTTP_HOSTS=${safeHost} (on your own machine, start again: npm run dev -- --var ALLOW_HTTP_HOSTS:${safeHost}, or npm run serve with that line in .dev.vars)`
}

/** Entries of `allowed` are `host` or `host:port`. */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  return allowed.includes(url.host) || allowed.includes(`${url.hostname}:${getPort(url)}`)
}

function getPort({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** `advice` is appended to reasons that an administrator can resolve. */
export function createUrlTextCheck(
  allowHttpHosts: ReadonlySet<string>,
  advice?: typeof formatAllowHint,
): (text: string) => string | undefined {
  const findProblem = createUrlCheck(allowHttpHosts)
  return (text) => {
    const url = URL.parse(text)
    if (url === null) return 'wanted an absolute URL'
    const reason = findProblem(url)
    const more = reason && advice?.(url)
    return more ? `${reason}. ${more}` : reason
  }
}

/** The URL Standard normalizes IPv4 addresses to four decimal parts, and puts IPv6 addresses in brackets. */
function checkHostname(host: string): string | undefined {
  if (host.startsWith('[')) {
    const address = ipaddr.IPv6.parse(host.slice(1, -1))
    return isPublicIPv6(address) ? undefined : 'the address is not public'
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(host))
    return isPublicIPv4(ipaddr.IPv4.parse(host)) ? undefined : 'the address is not public'
  if (host.endsWith('.')) return 'the host must not end with a dot'
  return !host.includes('.') || LOCAL_NAME.test(host) ? 'the host is not a public name' : undefined
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast'
}

/** If an address embeds an IPv4 address, checks that one, because a translator or relay would deliver there. */
function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const bytes = address.toByteArray()
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
      return isPublicIPv4(new ipaddr.IPv4(bytes.slice(12)))
    case 'rfc6052':
      // 64:ff9b:1::/48 (RFC 8215) is for local use, wherever it embeds the address.
      return address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96')) && isPublicIPv4(new ipaddr.IPv4(bytes.slice(12)))
    case '6to4':
      return isPublicIPv4(new ipaddr.IPv4(bytes.slice(2, 6)))
    case 'teredo':
      // RFC 4380 section 4: the server, then at the end the client with every bit inverted.
      return [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 0xff)].every((part) =>
        isPublicIPv4(new ipaddr.IPv4(part)),
      )
    case 'unicast':
      return address.match(GLOBAL_UNICAST)
    default:
      return false
  }
}
