import { isLoopback } from '../../http/loopback.ts'

/** "Servers MUST validate the Origin header": a page may call its own host, and a loopback host's page any port of one. */
export function isOwnOrigin(request: Request): boolean {
  const origin = request.headers.get('origin')
  // Most callers are no pages; the URL is put together each time it is read
  if (origin === null) return true
  const from = URL.parse(origin)
  const to = new URL(request.url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
