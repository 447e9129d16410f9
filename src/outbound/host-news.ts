import { LRUCache } from 'lru-cache'
import type { HostNews } from '../core/call/host-news.ts'
import type { HostHealth, TrafficOptions } from './traffic.ts'

/** Hosts and toolkits of which news waits to be told; that of others is forgotten. */
const MAX_NEWS = 2_000

/** Collects what an isolate learns of hosts, until it is taken to be told with the records of the calls that it was learned by. */
export function createHostNews(now: () => number) {
  const waiting = new LRUCache<string, HostNews>({ max: MAX_NEWS })

  function add(
    host: string,
    toolkit: string,
    health: HostHealth,
    what: 'opened' | 'failing' | 'busy' | 'closed',
  ): void {
    const key = `${toolkit.toLowerCase()} ${host}`
    const { opened, failing, busy } = waiting.get(key) ?? { opened: 0, failing: 0, busy: 0 }
    const at = now()
    waiting.set(key, {
      toolkit,
      host,
      opened: opened + (what === 'opened' ? 1 : 0),
      failing: failing + (what === 'failing' ? 1 : 0),
      busy: busy + (what === 'busy' ? 1 : 0),
      at,
      ...openUntil(health, at),
    })
  }

  const onChange: TrafficOptions['onChange'] = (host, toolkit, health) =>
    add(host, toolkit, health, health.state === 'open' ? 'opened' : 'closed')
  const onRefused: TrafficOptions['onRefused'] = (host, toolkit, health, kind) => add(host, toolkit, health, kind)

  return {
    onChange,
    onRefused,
    /** All that waits, once. */
    take(): readonly HostNews[] {
      const news = [...waiting.values()]
      waiting.clear()
      return news
    },
  }
}

/** A half-open circuit was open until now: the next request is sent. */
function openUntil({ state, retryAfterMs = 0 }: HostHealth, at: number): Pick<HostNews, 'openUntil'> {
  if (state === 'closed') return {}
  return { openUntil: state === 'open' ? at + retryAfterMs : at }
}
