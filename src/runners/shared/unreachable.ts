import type { Implementation } from '../../core/tool/tool.ts'
import { createUrlCheck, formatAllowHint } from '../../outbound/allowed-url.ts'

/** Creates a check that explains why the guarded fetch refuses every address of an implementation. */
export function createUnreachable(allowHttpHosts: ReadonlySet<string>) {
  const findProblem = createUrlCheck(allowHttpHosts)
  return (implementation: Implementation): string | undefined => {
    const origins = listOrigins(implementation)
    const refusedOrigins = origins.flatMap((origin) => {
      const url = URL.parse(origin)
      const reason = url ? findProblem(url) : undefined
      return reason === undefined ? [] : [`'${origin}' (${reason})`]
    })
    if (refusedOrigins.length === 0 || refusedOrigins.length < origins.length) return undefined
    const [first] = origins.flatMap((origin) => URL.parse(origin) ?? [])
    if (first === undefined) return undefined
    // Descriptions have placeholders such as `HOSTNAME`
    const isPlaceholder = /^(?!localhost\b)[^.[]+$/.test(first.host)
    const why = `It cannot run: requests to ${refusedOrigins.slice(0, 3).join(' and ')} are refused`
    const placeholderHint = isPlaceholder ? ["Give the server's own address"] : []
    return [why, ...placeholderHint, formatAllowHint(first) ?? []].flat().join('. ')
  }
}

/** Returns none if a credential contains the host. */
function listOrigins({ url, allowed_hosts: hosts }: Implementation): readonly string[] {
  if (Array.isArray(hosts)) return hosts.flatMap((host) => (typeof host === 'string' ? [`https://${host}`] : []))
  const [origin] = (typeof url === 'string' && /^https?:\/\/[^/?#]+/i.exec(url)) || []
  return origin === undefined || origin.includes('{') ? [] : [origin]
}
