/** A circuit opens after failures in a row: no request is sent for a while. Then it is half-open: one request at a time is sent. */
export interface Circuit {
  readonly failures: number
  /** When the host last answered this circuit's caller and when the circuit last opened, in milliseconds. */
  readonly lastSuccessAt: number
  readonly openedAt: number
  readonly pauseMs: number
  /** When the single request of a half-open circuit was sent. */
  readonly probeSentAt: number | undefined
}

export type CircuitState = 'closed' | 'open' | 'half-open'

export const MAX_FAILURES = 5
/** Once this many callers in a row got no answer from a host, a single failure opens its caller's circuit. */
export const SHARED_FAILURES = 3
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 30_000
/** The longest time that the single request of a half-open circuit keeps others waiting, even if it hangs. */
const PROBE_MS = 5_000

export const CLOSED: Circuit = { failures: 0, lastSuccessAt: 0, openedAt: 0, pauseMs: 0, probeSentAt: undefined }

export function getCircuitState(circuit: Circuit, now: number): CircuitState {
  if (circuit.pauseMs === 0) return 'closed'
  return now < circuit.openedAt + circuit.pauseMs ? 'open' : 'half-open'
}

/** In milliseconds; 0 when a request may be sent. */
export function getPauseMs(circuit: Circuit, now: number): number {
  if (circuit.pauseMs === 0) return 0
  const probeEnd = circuit.probeSentAt === undefined ? 0 : circuit.probeSentAt + PROBE_MS
  return Math.max(0, circuit.openedAt + circuit.pauseMs - now, probeEnd - now)
}

export function recordSent(circuit: Circuit, now: number): Circuit {
  return circuit.pauseMs === 0 ? circuit : { ...circuit, probeSentAt: now }
}

/** The request of `sentAt` ended without an outcome. If it was the single one of a half-open circuit, another may be sent. */
export function recordAbandoned(circuit: Circuit, sentAt: number): Circuit {
  return circuit.probeSentAt === sentAt ? { ...circuit, probeSentAt: undefined } : circuit
}

export function recordSuccess(now: number): Circuit {
  return { ...CLOSED, lastSuccessAt: now }
}

/** A request that was sent before the last answer does not count: otherwise one slow tool would stop the requests of the others. */
export function recordFailure(circuit: Circuit, sentAt: number, now: number, maxFailures: number): Circuit {
  const isOpen = circuit.pauseMs > 0
  if (sentAt < circuit.lastSuccessAt || (isOpen && sentAt < circuit.openedAt)) return circuit
  const failures = circuit.failures + 1
  if (!isOpen && failures < maxFailures) return { ...circuit, failures }
  const pauseMs = isOpen ? Math.min(2 * circuit.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS
  return { ...circuit, failures, openedAt: now, pauseMs, probeSentAt: undefined }
}
