import type { Deadline } from '../core/call/deadline.ts'
import { createTraffic } from '../outbound/traffic.ts'

export function log(entry: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(entry))
}

export function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

export function giveWay(): Promise<void> {
  return sleep(0)
}

export const traffic = createTraffic({
  now: Date.now,
  sleep,
  onChange(host, toolkit, { state, failures, retryAfterMs }) {
    log({ event: 'host', host, toolkit, state, failures, retry_after_ms: retryAfterMs })
  },
})

export function startDeadline(timeoutMs: number, caller: () => AbortSignal | undefined): Deadline {
  const started = Date.now()
  let controller: AbortController | undefined

  function live(): AbortController {
    if (controller) return controller
    const made = new AbortController()
    controller = made
    const gone = caller()
    if (gone?.aborted) made.abort(gone.reason)
    else gone?.addEventListener('abort', () => made.abort(gone.reason), { once: true })
    return made
  }

  return {
    get signal() {
      return live().signal
    },
    race(work) {
      if (!(work instanceof Promise)) return work
      const { signal } = live()
      return new Promise((resolve, reject) => {
        const end = (how: 'expired' | 'cancelled') => {
          resolve(how)
          live().abort(
            how === 'expired'
              ? new DOMException('The deadline passed', 'TimeoutError')
              : new DOMException('The caller went away', 'AbortError'),
          )
        }
        const timer = setTimeout(() => end('expired'), Math.max(0, timeoutMs - (Date.now() - started)))
        if (signal.aborted) end('cancelled')
        else signal.addEventListener('abort', () => end('cancelled'), { once: true })
        work.then(resolve, reject).finally(() => clearTimeout(timer))
      })
    },
  }
}
