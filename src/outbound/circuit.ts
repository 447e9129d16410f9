/**
 * What requests to a host came to, and so whether another is worth a try. Closed: requests go through. Open: so many in a
 * row came to nothing that none is sent for a while. Half-open: the while is over, and one at a time is sent.
 */
export interface Circuit {
  /** Requests in a row that came to nothing. */
  readonly failures: number
  /** When the host last answered, and when the circuit was last opened, in milliseconds. */
  readonly heardAt: number
  readonly openedAt: number
  /** For how long it was opened, in milliseconds. */
  readonly pauseMs: number
  /** Until when the others wait for the one request that is sent while half-open. */
  readonly probeUntil: number
}

export type CircuitState = 'closed' | 'open' | 'half-open'

/** Failures in a row that open a circuit. */
export const MAX_FAILURES = 5
/** How long a circuit is open the first time; twice as long each time that the one request fails, up to the most. */
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 30_000
/** How long one request keeps the others waiting: a caller whose own request hangs must not keep them for longer. */
const PROBE_MS = 5_000

export const CLOSED: Circuit = { failures: 0, heardAt: 0, openedAt: 0, pauseMs: 0, probeUntil: 0 }

export function stateOf(circuit: Circuit, now: number): CircuitState {
  if (circuit.failures < MAX_FAILURES) return 'closed'
  return now < circuit.openedAt + circuit.pauseMs ? 'open' : 'half-open'
}

/** How long no request may be sent, in milliseconds; 0 when one may. */
export function pauseOf(circuit: Circuit, now: number): number {
  if (circuit.failures < MAX_FAILURES) return 0
  return Math.max(0, circuit.openedAt + circuit.pauseMs - now, circuit.probeUntil - now)
}

/** A request is sent. */
export function sent(circuit: Circuit, now: number): Circuit {
  return circuit.failures < MAX_FAILURES ? circuit : { ...circuit, probeUntil: now + PROBE_MS }
}

/** Nobody waited for the request that was sent at `sentAt`: where it was the only one, another may be sent. */
export function abandoned(circuit: Circuit, sentAt: number): Circuit {
  return circuit.probeUntil === sentAt + PROBE_MS ? { ...circuit, probeUntil: 0 } : circuit
}

/** The host answered. */
export function heard(now: number): Circuit {
  return { ...CLOSED, heardAt: now }
}

/**
 * A request that was sent at `sentAt` came to nothing. That says nothing of the host where it answered another meanwhile, or
 * where the circuit was opened meanwhile: else one caller's slow requests would keep everybody's from being sent.
 */
export function failed(circuit: Circuit, sentAt: number, now: number): Circuit {
  const isOpen = circuit.failures >= MAX_FAILURES
  if (sentAt < circuit.heardAt || (isOpen && sentAt < circuit.openedAt)) return circuit
  const failures = circuit.failures + 1
  if (failures < MAX_FAILURES) return { ...circuit, failures }
  const pauseMs = isOpen ? Math.min(2 * circuit.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS
  return { ...circuit, failures, openedAt: now, pauseMs, probeUntil: 0 }
}
