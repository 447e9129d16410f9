import { isLoopback } from '../../core/tool/loopback.ts'

/** "Servers MUST validate the Origin header" (programs send none): the same host, loopback on any port, or a configured one. */
export function isAllowedOrigin(origin: string, url: string, origins: ReadonlySet<string>): boolean {
  if (origins.has(origin)) return true
  const from = URL.parse(origin)
  const to = new URL(url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
