import { isLoopback } from '../../http/loopback.ts'

/** "Servers MUST validate the Origin header": a page may call its own host, and a loopback host's page any port of one. */
export function isOwnOrigin({ headers, url }: Request): boolean {
  const origin = headers.get('origin')
  if (origin === null) return true
  const from = URL.parse(origin)
  const to = new URL(url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
