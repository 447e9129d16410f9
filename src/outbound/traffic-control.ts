/**
 * Limits the requests of tools to a host, so that a slow or failing host does not delay other hosts or toolkits. There is one
 * state per toolkit and host, and one for each of their callers.
 *
 * 1. While the caller's circuit for the host is open (`circuit.ts`), a request is refused as `failing`.
 * 2. The request takes a permit of its caller and one of its toolkit (`semaphore.ts`). If there is none, it waits for at most
 *    one second, which takes such permits too, and is then refused as `busy`.
 * 3. The circuit is checked again, because it may have opened in the meantime.
 * 4. The outcome releases the permits and updates the circuit. If the call's signal aborts first, the outcome is a failure if
 *    the call timed out, and otherwise `abandoned`.
 *
 * No request awaits another one's promise or depends on running to its end, because the platform may end any request.
 */
import type { LRUCache } from 'lru-cache'
import { isObject } from '../core/tool/json.ts'
import type { Signal } from '../core/tool/platform.ts'
import { recordAbandoned, type Circuit, type CircuitState, CLOSED, recordFailure, recordSuccess } from './circuit.ts'
import { MAX_FAILURES, getPauseMs, recordSent, SHARED_FAILURES, getCircuitState } from './circuit.ts'
import { createSemaphore, takeBoth } from './semaphore.ts'
import { raceAbort } from './until-aborted.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

export interface ToolInitiator {
  /** A toolkit has one owner. Failures do not count against other toolkits. */
  readonly toolkit: string
  /** A caller chooses the inputs, so failures count against the caller first. */
  readonly caller: string
  readonly timeoutMs: number
  /** Allowed hosts, as `host` or `host:port`; redirects are limited to them too. */
  readonly hosts?: readonly string[] | undefined
  /** Aborts when the call ends, with a TimeoutError if it timed out. */
  readonly signal: Signal
}

/** `gateway-error`: a gateway reports that its server did not answer, which an input may cause. */
export type RequestOutcome = 'success' | 'gateway-error' | 'failure' | 'abandoned'

export interface RequestPermit {
  end(outcome: RequestOutcome): void
}

export interface TrafficRefusal {
  readonly kind: 'failing' | 'busy'
  readonly reason: string
  readonly retryAfterMs: number
}

export interface HostHealth {
  readonly state: CircuitState
  readonly failures: number
  readonly inFlight: number
  readonly retryAfterMs?: number
}

export type TrafficControl = ReturnType<typeof createTrafficControl>

interface TrafficOptions {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly onChange: (host: string, toolkit: string, health: HostHealth) => void
}

type Semaphores = ReturnType<typeof createSemaphores>

/** State of one caller's requests from one toolkit to one host. */
interface CallerState extends Semaphores {
  circuit: Circuit
}

/** State of all requests from one toolkit to one host. */
interface ToolkitHostState extends Semaphores {
  /** The first callers, up to `SHARED_FAILURES`, whose requests failed since the host last answered any caller. */
  readonly unanswered: Set<string>
}

const MAX_TOOLKIT_HOSTS = 2_000
const MAX_CALLERS = 5_000
/** Requests of one caller to a host. All callers together may have four times as many (`FOR_ALL`). */
export const MAX_IN_FLIGHT = 64
export const MAX_WAITING = 64
const FOR_ALL = 4
const MAX_WAIT_MS = 1_000
const LOOK_AGAIN_MS = 25
/** Added to a call's timeout, so that its permit is not reused while the call runs. */
const GRACE_MS = 5_000

export function createTrafficControl({ now, sleep, onChange }: TrafficOptions) {
  const toolkitStates = createLruCache<ToolkitHostState>(MAX_TOOLKIT_HOSTS)
  const callerStates = createLruCache<CallerState>(MAX_CALLERS)
  const toKey = (host: string, toolkit: string) => `${toolkit.toLowerCase()} ${host}`

  function getHealth({ circuit, inFlight }: CallerState): HostHealth {
    const at = now()
    const retryAfterMs = getPauseMs(circuit, at)
    const health = {
      state: getCircuitState(circuit, at),
      failures: circuit.failures,
      inFlight: inFlight.countInUse(at),
    }
    return retryAfterMs === 0 ? health : { ...health, retryAfterMs }
  }

  const take = (kind: keyof Semaphores, toolkitState: Semaphores, callerState: Semaphores, ms: number) =>
    takeBoth(callerState[kind], toolkitState[kind], now(), ms)

  async function takePermit(
    toolkitState: ToolkitHostState,
    callerState: CallerState,
    { timeoutMs, signal }: ToolInitiator,
  ) {
    const ms = timeoutMs + GRACE_MS
    const freePermit = take('inFlight', toolkitState, callerState, ms)
    if (freePermit) return freePermit
    const waitPermit = take('waiting', toolkitState, callerState, MAX_WAIT_MS + GRACE_MS)
    for (let waitedMs = 0; waitPermit && waitedMs < MAX_WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
      const { state } = await raceAbort(() => sleep(LOOK_AGAIN_MS), signal)
      const permit = state === 'aborted' ? undefined : take('inFlight', toolkitState, callerState, ms)
      if (permit || state === 'aborted') {
        waitPermit.release()
        return permit
      }
    }
    waitPermit?.release()
    return undefined
  }

  return {
    async admit(host: string, initiator: ToolInitiator): Promise<RequestPermit | TrafficRefusal> {
      const { toolkit, caller, signal } = initiator
      // The call has ended, and its failure reports that. A refusal would hide it
      if (signal.aborted) return NO_PERMIT_NEEDED
      const key = toKey(host, toolkit)
      const toolkitState = getOrCreate<ToolkitHostState>(toolkitStates, key, () => ({
        unanswered: new Set(),
        ...createSemaphores(FOR_ALL),
      }))
      const callerState = getOrCreate<CallerState>(callerStates, `${key} ${caller}`, () => ({
        circuit: CLOSED,
        ...createSemaphores(1),
      }))
      const refusal = findRefusal(callerState.circuit, now())
      if (refusal) return refusal
      const permit = await takePermit(toolkitState, callerState, initiator)
      if (!permit) return BUSY
      const sentAt = now()
      const laterRefusal = findRefusal(callerState.circuit, sentAt)
      if (laterRefusal) {
        permit.release()
        return laterRefusal
      }
      callerState.circuit = recordSent(callerState.circuit, sentAt)

      let isOver = false
      const end = (outcome: RequestOutcome) => {
        if (isOver) return
        isOver = true
        permit.release()
        signal.removeEventListener('abort', onAbort)
        const { circuit } = callerState
        const { unanswered } = toolkitState
        const isShared = unanswered.size >= SHARED_FAILURES
        callerState.circuit = recordOutcome(circuit, outcome, sentAt, now(), isShared ? 1 : MAX_FAILURES)
        if (outcome === 'success') unanswered.clear()
        else if (outcome === 'failure' && callerState.circuit !== circuit && !isShared) unanswered.add(caller)
        if (callerState.circuit.openedAt !== circuit.openedAt) onChange(host, toolkit, getHealth(callerState))
      }
      const onAbort = () => end(isLate(signal) ? 'failure' : 'abandoned')
      signal.addEventListener('abort', onAbort, { once: true })
      return { end }
    },
    health(host: string, toolkit: string, caller: string): HostHealth {
      const callerState = callerStates.peek(`${toKey(host, toolkit)} ${caller}`)
      return callerState ? getHealth(callerState) : { state: 'closed', failures: 0, inFlight: 0 }
    },
  }
}

function getOrCreate<T extends object>(states: LRUCache<string, T>, key: string, createValue: () => T): T {
  const value = states.get(key) ?? createValue()
  states.set(key, value)
  return value
}

function recordOutcome(circuit: Circuit, outcome: RequestOutcome, sentAt: number, now: number, maxFailures: number) {
  if (outcome === 'success') return recordSuccess(now)
  if (outcome === 'abandoned') return recordAbandoned(circuit, sentAt)
  return recordFailure(circuit, sentAt, now, maxFailures)
}

function createSemaphores(times: number) {
  return { inFlight: createSemaphore(times * MAX_IN_FLIGHT), waiting: createSemaphore(times * MAX_WAITING) }
}

export const NO_PERMIT_NEEDED: RequestPermit = { end: () => undefined }

const BUSY: TrafficRefusal = {
  kind: 'busy',
  reason: `${MAX_IN_FLIGHT} requests of this caller, or ${FOR_ALL * MAX_IN_FLIGHT} of this toolkit, are waiting for its answers already`,
  retryAfterMs: MAX_WAIT_MS,
}

function findRefusal(circuit: Circuit, now: number): TrafficRefusal | undefined {
  const retryAfterMs = getPauseMs(circuit, now)
  if (retryAfterMs === 0) return undefined
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const reason = `it did not answer ${circuit.failures} ${circuit.failures === 1 ? 'request' : 'requests in a row'}, and is asked again in ${seconds} s`
  return { kind: 'failing', reason, retryAfterMs }
}

function isLate({ reason }: Signal): boolean {
  return isObject(reason) && reason['name'] === 'TimeoutError'
}
