import { isLoopback } from '../../http/caller/loopback.ts'

/**
 * "Servers MUST validate the Origin header": a page may call its own host, and a loopback host's page any port of one, and so
 * may pages of the origins that are named.
 */
export function isAllowedOrigin(request: Request, origins: ReadonlySet<string>): boolean {
  const origin = request.headers.get('origin')
  // Most callers are no pages; the URL is put together each time it is read
  if (origin === null) return true
  if (origins.has(origin)) return true
  const from = URL.parse(origin)
  const to = new URL(request.url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
