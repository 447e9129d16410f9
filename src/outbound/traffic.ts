import { LRUCache } from 'lru-cache'
import { isObject } from '../core/tool/json.ts'
import type { Signal } from '../core/tool/platform.ts'
import {
  abandoned,
  type Circuit,
  type CircuitState,
  CLOSED,
  failed,
  heard,
  MAX_FAILURES,
  pauseOf,
  sent,
  stateOf,
} from './circuit.ts'
import { createPlaces, type Places } from './places.ts'
import { untilAborted } from './until-aborted.ts'

/** The call that a request is made for. */
export interface Asker {
  /** Whose tool is called: a toolkit has one owner, and what its requests come to is held against nobody else's. */
  readonly toolkit: string
  /** How long the call may take, in milliseconds. */
  readonly timeoutMs: number
  /** Aborts when the call ends, with a TimeoutError where its time is over. */
  readonly signal: Signal
}

/** What a request came to, as far as it tells whether its host answers. `abandoned`: nobody waited for it. */
export type Ending = 'answered' | 'failed' | 'abandoned'

/** A request on its way. */
export interface Passage {
  /** It is over. The first ending counts; a call that ends ends its requests. */
  end(ending: Ending): void
}

/** Why a request is not sent, and when another may be, in milliseconds. */
export interface Refused {
  readonly kind: 'failing' | 'busy'
  readonly reason: string
  readonly retryAfterMs: number
}

export interface HostHealth {
  readonly state: CircuitState
  /** Requests in a row that came to nothing. */
  readonly failures: number
  readonly inFlight: number
  /** When a request will be sent again, in milliseconds, where none is now. */
  readonly retryAfterMs?: number
}

/** What this isolate knows of the hosts that tools send requests to. */
export interface Traffic {
  /** Lets a request to `host` (`host` or `host:port`) through, at once or after a short wait; else says why not. */
  admit(host: string, asker: Asker): Promise<Passage | Refused>
  /** How a host answers the tools of one toolkit. */
  health(host: string, toolkit: string): HostHealth
}

export interface TrafficOptions {
  /** The time in milliseconds. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Told when a circuit opens, anew as well, and when it closes again. */
  readonly onChange: (host: string, toolkit: string, health: HostHealth) => void
}

interface Route {
  circuit: Circuit
  readonly inFlight: Places
  readonly waiting: Places
}

/** Hosts and toolkits that are remembered. Those that are used least are forgotten, which closes their circuits. */
const MAX_ROUTES = 2_000
/** Requests to one host for one toolkit at a time, and those that wait for one of them to end. */
export const MAX_IN_FLIGHT = 64
export const MAX_WAITING = 64
const MAX_WAIT_MS = 1_000
const LOOK_AGAIN_MS = 25
/** A place is kept for longer than its call may take, so that it is never given twice. */
const GRACE_MS = 5_000

/**
 * Makes the bulkheads and circuit breakers of an isolate: for each host and toolkit so many requests at a time, and none while
 * the host does not answer. Nothing in it is a promise that requests share, or relies on a request to run to its end: the
 * platform may end one at any time.
 */
export function createTraffic({ now, sleep, onChange }: TrafficOptions): Traffic {
  const routes = new LRUCache<string, Route>({ max: MAX_ROUTES })
  const keyOf = (host: string, toolkit: string) => `${toolkit.toLowerCase()} ${host}`

  function routeOf(key: string): Route {
    const known = routes.get(key)
    if (known) return known
    const made = { circuit: CLOSED, inFlight: createPlaces(MAX_IN_FLIGHT), waiting: createPlaces(MAX_WAITING) }
    routes.set(key, made)
    return made
  }

  function healthOf({ circuit, inFlight }: Route): HostHealth {
    const at = now()
    const retryAfterMs = pauseOf(circuit, at)
    const health = { state: stateOf(circuit, at), failures: circuit.failures, inFlight: inFlight.taken(at) }
    return retryAfterMs === 0 ? health : { ...health, retryAfterMs }
  }

  /** Takes a place for a request, or waits for one; undefined when none came free. */
  async function takePlace({ inFlight, waiting }: Route, { timeoutMs, signal }: Asker) {
    const ms = timeoutMs + GRACE_MS
    const free = inFlight.take(now(), ms)
    if (free) return free
    const waits = waiting.take(now(), MAX_WAIT_MS + GRACE_MS)
    for (let waited = 0; waits && waited < MAX_WAIT_MS; waited += LOOK_AGAIN_MS) {
      const { state } = await untilAborted(() => sleep(LOOK_AGAIN_MS), signal)
      const place = state === 'aborted' ? undefined : inFlight.take(now(), ms)
      if (place) waits.giveBack()
      if (place) return place
      if (state === 'aborted') break
    }
    waits?.giveBack()
    return undefined
  }

  return {
    async admit(host, asker) {
      const { toolkit, signal } = asker
      // What is said of a call that is over: that it is cancelled
      if (signal.aborted) return FREE
      const route = routeOf(keyOf(host, toolkit))
      const refused = refusalOf(route.circuit, now())
      if (refused) return refused
      const place = await takePlace(route, asker)
      if (!place) return BUSY
      const sentAt = now()
      // It may have been opened while this request waited for its place
      const refusedSince = refusalOf(route.circuit, sentAt)
      if (refusedSince) {
        place.giveBack()
        return refusedSince
      }
      route.circuit = sent(route.circuit, sentAt)

      let isOver = false
      const end = (ending: Ending) => {
        if (isOver) return
        isOver = true
        place.giveBack()
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
    health(host, toolkit) {
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

const FREE: Passage = { end: () => undefined }

const BUSY: Refused = {
  kind: 'busy',
  reason: `${MAX_IN_FLIGHT} requests of this toolkit are waiting for its answers already`,
  retryAfterMs: MAX_WAIT_MS,
}

function refusalOf(circuit: Circuit, now: number): Refused | undefined {
  const retryAfterMs = pauseOf(circuit, now)
  if (retryAfterMs === 0) return undefined
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const reason = `it did not answer ${Math.max(circuit.failures, MAX_FAILURES)} requests in a row, and is asked again in ${seconds} s`
  return { kind: 'failing', reason, retryAfterMs }
}

/** Whether a call ended because its time was over, and not because its caller went away. */
function isLate({ reason }: Signal): boolean {
  return isObject(reason) && reason['name'] === 'TimeoutError'
}
