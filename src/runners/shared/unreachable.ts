import type { Implementation } from '../../core/tool/tool.ts'
import { createUrlCheck, formatAllowHint } from '../../outbound/allowed-url.ts'

/** Tells of an implementation all of whose requests the guarded fetch refuses by their address, and why. */
export function createUnreachable(allowHttpHosts: ReadonlySet<string>) {
  const findProblem = createUrlCheck(allowHttpHosts)
  return (implementation: Implementation): string | undefined => {
    const origins = listOrigins(implementation)
    const refused = origins.flatMap((origin) => {
      const url = URL.parse(origin)
      const reason = url ? findProblem(url) : undefined
      return reason === undefined ? [] : [`'${origin}' (${reason})`]
    })
    if (refused.length === 0 || refused.length < origins.length) return undefined
    const [first] = origins.flatMap((origin) => URL.parse(origin) ?? [])
    if (first === undefined) return undefined
    // Descriptions have names such as `HOSTNAME` in its place
    const isPlaceholder = /^(?!localhost\b)[^.[]+$/.test(first.host)
    const why = `It cannot run: requests to ${refused.slice(0, 3).join(' and ')} are refused`
    const placeholderHint = isPlaceholder ? ["Give the server's own address"] : []
    return [why, ...placeholderHint, formatAllowHint(first) ?? []].flat().join('. ')
  }
}

/** None where a credential says the host. */
function listOrigins({ url, allowed_hosts: hosts }: Implementation): readonly string[] {
  if (Array.isArray(hosts)) return hosts.flatMap((host) => (typeof host === 'string' ? [`https://${host}`] : []))
  const [origin] = (typeof url === 'string' && /^https?:\/\/[^/?#]+/i.exec(url)) || []
  return origin === undefined || origin.includes('{') ? [] : [origin]
}
