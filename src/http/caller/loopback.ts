import { isLoopback } from '../../core/tool/loopback.ts'

export function isSecureOrigin({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * `Host` catches pages that rebind their name to 127.0.0.1. `Origin` (`null` for a sandboxed frame) catches pages that post
 * here, even from other servers on this machine: only our own pages and those of `origins` may.
 */
export function isLocalRequest(request: Request, origins: ReadonlySet<string>): boolean {
  const { url: href } = request
  const authorityStart = href.indexOf('://') + 3
  if (!isLoopbackAuthority(href.slice(authorityStart, href.indexOf('/', authorityStart)))) return false
  const host = request.headers.get('host')
  if (host !== null && !isLoopbackAuthority(host)) return false
  const origin = request.headers.get('origin')
  if (origin === null) return true
  return origin === new URL(href).origin || (origins.has(origin) && isLoopback(new URL(origin).hostname))
}

/** Parsing a URL takes a twentieth of a call's time, and most calls have the same authority. */
const lastAuthority = { authority: 'localhost', isLoopback: true }

function isLoopbackAuthority(authority: string): boolean {
  if (authority !== lastAuthority.authority) {
    lastAuthority.isLoopback = isLoopback(URL.parse(`http://${authority}`)?.hostname ?? '')
    lastAuthority.authority = authority
  }
  return lastAuthority.isLoopback
}
