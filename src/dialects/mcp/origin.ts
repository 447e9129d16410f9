import { isLoopback } from '../../http/caller/loopback.ts'

/** "Servers MUST validate the Origin header": the same host, any port of a loopback host, or a configured origin. */
export function isAllowedOrigin(request: Request, origins: ReadonlySet<string>): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return true
  if (origins.has(origin)) return true
  const from = URL.parse(origin)
  const to = new URL(request.url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
