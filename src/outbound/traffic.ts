import { LRUCache } from 'lru-cache'
import { isObject } from '../core/tool/json.ts'
import type { Signal } from '../core/tool/platform.ts'
import { abandoned, type Circuit, type CircuitState, CLOSED, failed, heard } from './circuit.ts'
import { MAX_FAILURES, pauseOf, sent, stateOf } from './circuit.ts'
import { createSlots, type Slots } from './slots.ts'
import { untilAborted } from './until-aborted.ts'

export interface RequestingTool {
  /** A toolkit has one owner; failures count against no other toolkit. */
  readonly toolkit: string
  readonly timeoutMs: number
  /** Where it may ask, as `host` or `host:port`: a redirect leads nowhere else either. */
  readonly hosts?: readonly string[] | undefined
  /** Aborts when the call ends, with a TimeoutError where its time is over. */
  readonly signal: Signal
}

export type Ending = 'answered' | 'failed' | 'abandoned'

export interface Passage {
  end(ending: Ending): void
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

export type Traffic = ReturnType<typeof createTraffic>

export interface TrafficOptions {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly onChange: (host: string, toolkit: string, health: HostHealth) => void
}

interface Route {
  circuit: Circuit
  readonly inFlight: Slots
  readonly waiting: Slots
}

const MAX_ROUTES = 2_000
export const MAX_IN_FLIGHT = 64
export const MAX_WAITING = 64
const MAX_WAIT_MS = 1_000
const LOOK_AGAIN_MS = 25
/** Beyond a call's timeout, so that its slot is never given twice. */
const GRACE_MS = 5_000

/** Bulkheads and circuit breakers. No request shares a promise or needs run to its end: the platform may end any. */
export function createTraffic({ now, sleep, onChange }: TrafficOptions) {
  const routes = new LRUCache<string, Route>({ max: MAX_ROUTES })
  const keyOf = (host: string, toolkit: string) => `${toolkit.toLowerCase()} ${host}`

  function routeOf(key: string): Route {
    const known = routes.get(key)
    if (known) return known
    const made = { circuit: CLOSED, inFlight: createSlots(MAX_IN_FLIGHT), waiting: createSlots(MAX_WAITING) }
    routes.set(key, made)
    return made
  }

  function healthOf({ circuit, inFlight }: Route): HostHealth {
    const at = now()
    const retryAfterMs = pauseOf(circuit, at)
    const health = { state: stateOf(circuit, at), failures: circuit.failures, inFlight: inFlight.taken(at) }
    return retryAfterMs === 0 ? health : { ...health, retryAfterMs }
  }

  async function takeSlot({ inFlight, waiting }: Route, { timeoutMs, signal }: RequestingTool) {
    const ms = timeoutMs + GRACE_MS
    const free = inFlight.take(now(), ms)
    if (free) return free
    const waits = waiting.take(now(), MAX_WAIT_MS + GRACE_MS)
    for (let waited = 0; waits && waited < MAX_WAIT_MS; waited += LOOK_AGAIN_MS) {
      const { state } = await untilAborted(() => sleep(LOOK_AGAIN_MS), signal)
      const slot = state === 'aborted' ? undefined : inFlight.take(now(), ms)
      if (slot) waits.release()
      if (slot) return slot
      if (state === 'aborted') break
    }
    waits?.release()
    return undefined
  }

  return {
    async admit(host: string, asker: RequestingTool): Promise<Passage | TrafficRefusal> {
      const { toolkit, signal } = asker
      // The failure of a call that is over says that it is cancelled
      if (signal.aborted) return UNBOUNDED
      const route = routeOf(keyOf(host, toolkit))
      const refused = refusalOf(route.circuit, now())
      if (refused) return refused
      const slot = await takeSlot(route, asker)
      if (!slot) return BUSY
      const sentAt = now()
      const refusedSince = refusalOf(route.circuit, sentAt)
      if (refusedSince) {
        slot.release()
        return refusedSince
      }
      route.circuit = sent(route.circuit, sentAt)

      let isOver = false
      const end = (ending: Ending) => {
        if (isOver) return
        isOver = true
        slot.release()
        signal.removeEventListener('abort', onAbort)
        const before = route.circuit
        route.circuit = after(before, ending, sentAt, now())
        const { openedAt } = route.circuit
        if (openedAt !== before.openedAt) onChange(host, toolkit, healthOf(route))
      }
      const onAbort = () => end(isLate(signal) ? 'failed' : 'abandoned')
      signal.addEventListener('abort', onAbort, { once: true })
      return { end }
    },
    health(host: string, toolkit: string): HostHealth {
      const route = routes.peek(keyOf(host, toolkit))
      return route ? healthOf(route) : { state: 'closed', failures: 0, inFlight: 0 }
    },
  }
}

function after(circuit: Circuit, ending: Ending, sentAt: number, now: number): Circuit {
  switch (ending) {
    case 'answered':
      return heard(now)
    case 'failed':
      return failed(circuit, sentAt, now)
    case 'abandoned':
      return abandoned(circuit, sentAt)
  }
}

export const UNBOUNDED: Passage = { end: () => undefined }

const BUSY: TrafficRefusal = {
  kind: 'busy',
  reason: `${MAX_IN_FLIGHT} requests of this toolkit are waiting for its answers already`,
  retryAfterMs: MAX_WAIT_MS,
}

function refusalOf(circuit: Circuit, now: number): TrafficRefusal | undefined {
  const retryAfterMs = pauseOf(circuit, now)
  if (retryAfterMs === 0) return undefined
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const reason = `it did not answer ${Math.max(circuit.failures, MAX_FAILURES)} requests in a row, and is asked again in ${seconds} s`
  return { kind: 'failing', reason, retryAfterMs }
}

function isLate({ reason }: Signal): boolean {
  return isObject(reason) && reason['name'] === 'TimeoutError'
}
