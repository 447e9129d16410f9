import { createTraffic } from '../outbound/traffic.ts'
import { log, sleep } from './platform.ts'

/** One for the isolate: the sandboxes' requests leave through it too. */
export const traffic = createTraffic({
  now: Date.now,
  sleep,
  onChange(host, toolkit, { state, failures, retryAfterMs }) {
    log({ event: 'host', host, toolkit, state, failures, retry_after_ms: retryAfterMs })
  },
})
