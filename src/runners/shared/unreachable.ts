import type { Implementation } from '../../core/tool/tool.ts'
import { createUrlJudge } from '../../outbound/allowed-url.ts'

/** The command is copied to a shell, and a URL may have `;` and `$` in its host. */
const SAFE_HOST = /^[\w.-]+(?::\d+)?$/

/** Tells of an implementation all of whose requests the guarded fetch refuses by their address, and why. */
export function createUnreachable(allowHttpHosts: ReadonlySet<string>) {
  const judge = createUrlJudge(allowHttpHosts)
  return (implementation: Implementation): string | undefined => {
    const origins = originsOf(implementation)
    const refused = origins.flatMap((origin) => {
      const url = URL.parse(origin)
      const reason = url ? judge(url) : undefined
      return reason === undefined ? [] : [`'${origin}' (${reason})`]
    })
    if (refused.length === 0 || refused.length < origins.length) return undefined
    const { host: first = '' } = URL.parse(origins[0] ?? '') ?? {}
    const host = SAFE_HOST.test(first) ? first : '<host:port>'
    // Descriptions have names such as `HOSTNAME` in its place
    const isPlaceholder = /^(?!localhost\b)[^.[]+$/.test(first)
    const who = `${isPlaceholder ? "Give the server's own address, or an" : 'An'} administrator`
    return `It cannot run: requests to ${refused.slice(0, 3).join(' and ')} are refused. ${who} allows its host: ALLOW_HTTP_HOSTS=${host} (on your own machine: npm run dev -- --var ALLOW_HTTP_HOSTS:${host})`
  }
}

/** None where a credential says the host. */
function originsOf({ url, allowed_hosts: hosts }: Implementation): readonly string[] {
  if (Array.isArray(hosts)) return hosts.flatMap((host) => (typeof host === 'string' ? [`https://${host}`] : []))
  const [origin] = (typeof url === 'string' && /^https?:\/\/[^/?#]+/i.exec(url)) || []
  return origin === undefined || origin.includes('{') ? [] : [origin]
}
