import { LRUCache } from 'lru-cache'
import type { Deadline, AbortReason } from '../core/call/deadline.ts'
import type { HoldFiles } from '../core/call/stage.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { isolateMemory, SMALL } from '../outbound/memory-budget.ts'
import { createTrafficControl } from '../outbound/traffic-control.ts'
import type { SandboxPolicies } from '../runners/sandbox/egress-entrypoint.ts'

/**
 * Miniflare mistakes a message with one of these for workerd's own, and drops it with all its lines. `print` escapes the first
 * character of a match, so no match begins with a letter that could be part of an escape. JSON does not escape control
 * characters from U+007F on or bidirectional ones, so a caller's text could write to an operator's terminal.
 */
const UNSAFE_IN_LOGS =
  /ook recursive isolate|LLVM_SYMBOLIZER|(?<=ac)k: (?=0|[a-f\d]{4})|ind\(\): |Address already in use|CODE_MOVED|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g

/** Prints JSON, escaped so that callers' text can neither suppress it nor control the terminal. */
export function print(json: string): void {
  console.log(
    json.replace(UNSAFE_IN_LOGS, (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}`),
  )
}

export function printLogEntry(entry: Readonly<Record<string, unknown>>): void {
  print(JSON.stringify(entry))
}

export function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

export const traffic = createTrafficControl({
  now: Date.now,
  sleep,
  onChange(host, toolkit, { state, failures, retryAfterMs }) {
    printLogEntry({ event: 'host', host, toolkit, state, failures, retry_after_ms: retryAfterMs })
  },
})

/** A stalled server keeps others waiting for at most `idleMs`. */
const RESPONSE_BUDGET = { name: 'server-answers', size: 64_000_000, share: 16_000_000, idleMs: 15_000 }
/** Used for every request of a tool, so that all responses share one memory budget. */
export const outboundOptions = {
  fetch: (...request: Parameters<Fetch>) => fetch(...request),
  traffic,
  memory: isolateMemory.createBudget({ ...RESPONSE_BUDGET, isNested: true }),
}

/** `idleMs` is longer than any call. */
function createHold(name: string, size: number, share: number): HoldFiles {
  const budget = isolateMemory.createBudget({ name, size, share, idleMs: 330_000, waitMs: 15_000 })
  return async (account, bytes, signal) => {
    if (bytes <= SMALL) return () => undefined
    const reservation = budget.reserve(account, () => signal.aborted)
    return (await reservation.grow(bytes)) ? reservation.release : undefined
  }
}

/** A caller's share fits the largest file. */
export const holdFiles = createHold('files', 56_000_000, 28_000_000)
/** Separate from files, because a call that holds text may wait for files. */
export const holdTexts = createHold('tasks', 36_000_000, 18_000_000)

export const sandboxPolicies: SandboxPolicies = new LRUCache({ max: 10_000 })

export function startDeadline(timeoutMs: number, caller: () => AbortSignal | undefined): Deadline {
  return new CallDeadline(timeoutMs, caller)
}

class CallDeadline implements Deadline {
  readonly #started = Date.now()
  readonly #timeoutMs: number
  readonly #caller: () => AbortSignal | undefined
  #controller: AbortController | undefined

  constructor(timeoutMs: number, caller: () => AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs
    this.#caller = caller
  }

  #getController(): AbortController {
    if (this.#controller) return this.#controller
    const controller = new AbortController()
    this.#controller = controller
    const callerSignal = this.#caller()
    if (callerSignal?.aborted) controller.abort(callerSignal.reason)
    else callerSignal?.addEventListener('abort', () => controller.abort(callerSignal.reason), { once: true })
    return controller
  }

  get signal(): AbortSignal {
    return this.#getController().signal
  }

  race<T>(work: T | Promise<T>): T | Promise<T | AbortReason> {
    if (!(work instanceof Promise)) return work
    const { signal } = this
    return new Promise((resolve, reject) => {
      const end = (reason: AbortReason) => {
        resolve(reason)
        this.#getController().abort(
          reason === 'expired'
            ? new DOMException('The deadline passed', 'TimeoutError')
            : new DOMException('The caller went away', 'AbortError'),
        )
      }
      const timer = setTimeout(() => end('expired'), Math.max(0, this.#timeoutMs - (Date.now() - this.#started)))
      if (signal.aborted) end('cancelled')
      else signal.addEventListener('abort', () => end('cancelled'), { once: true })
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}
