/**
 * Whether a URL's hostname is this machine: exactly `localhost`, 127.0.0.0/8 or `[::1]`. Takes `URL.hostname`, which has
 * already brought every spelling of an address (`127.1`, `0x7f000001`) to its one form. Names under `.localhost` are
 * left out: not every resolver keeps them on this machine.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Whether nobody on the way can change what a URL gives: https, or http on this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Whether a request was sent to this machine, and not by a web page of another. A page that rebinds its own name to
 * 127.0.0.1 is caught by the host, one that posts to `http://localhost` by its `Origin` (which is `null` for a
 * sandboxed frame). Where something in front says another URL than the request came with, the `Host` must agree.
 */
export function isLocalRequest(request: Request): boolean {
  const { url: href } = request
  const from = href.indexOf('://') + 3
  const to = href.indexOf('/', from)
  if (!isLoopbackAuthority(to < 0 ? href.slice(from) : href.slice(from, to))) return false
  const host = request.headers.get('host')
  if (host !== null && !isLoopbackAuthority(host)) return false
  const origin = request.headers.get('origin')
  if (origin === null) return true
  const url = URL.parse(origin)
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)
}

/** The last authority that was judged, mostly that of every call: to parse a URL costs a call a twentieth of its time. */
const last = { authority: 'localhost', isLoopback: true }

function isLoopbackAuthority(authority: string): boolean {
  if (authority !== last.authority) {
    last.isLoopback = isLoopback(URL.parse(`http://${authority}`)?.hostname ?? '')
    last.authority = authority
  }
  return last.isLoopback
}
