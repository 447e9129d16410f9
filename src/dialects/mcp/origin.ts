import { isLoopback } from '../../core/tool/loopback.ts'

/** "Servers MUST validate the Origin header", which programs do not send: the same host, any port of a loopback host, or a configured origin. */
export function isAllowedOrigin(origin: string, url: string, origins: ReadonlySet<string>): boolean {
  if (origins.has(origin)) return true
  const from = URL.parse(origin)
  const to = new URL(url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
