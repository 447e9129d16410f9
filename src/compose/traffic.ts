import { createHostNews } from '../outbound/host-news.ts'
import { createTraffic } from '../outbound/traffic.ts'
import { sleep } from './clock.ts'
import { log } from './log.ts'

/** What it has to tell of them. */
export const hostNews = createHostNews(Date.now)

/** What this isolate knows of the hosts that its tools send requests to: the sandboxes' requests leave through it too. */
export const traffic = createTraffic({
  now: Date.now,
  sleep,
  onRefused: hostNews.onRefused,
  onChange(host, toolkit, health) {
    hostNews.onChange(host, toolkit, health)
    const { state, failures, retryAfterMs } = health
    log({ event: 'host', host, toolkit, state, failures, retry_after_ms: retryAfterMs })
  },
})
