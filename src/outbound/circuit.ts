/** A circuit opens after consecutive failures and pauses requests. Then it is half-open: one request is sent at a time. */
export interface Circuit {
  readonly failures: number
  /** When the host last answered this circuit's caller, and when the circuit last opened, in milliseconds. */
  readonly lastSuccessAt: number
  readonly openedAt: number
  readonly pauseMs: number
  /** When the single request of a half-open circuit was sent. */
  readonly probeSentAt: number | undefined
}

export type CircuitState = 'closed' | 'open' | 'half-open'

export const MAX_FAILURES = 5
/** After this many callers in a row got no answer from a host, a single failure opens its caller's circuit. */
export const SHARED_FAILURES = 3
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 30_000
/** Maximum time that the single request of a half-open circuit blocks others, even if it hangs. */
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

/** The request sent at `sentAt` ended without an outcome. If it was a half-open circuit's request, another may be sent. */
export function recordAbandoned(circuit: Circuit, sentAt: number): Circuit {
  return circuit.probeSentAt === sentAt ? { ...circuit, probeSentAt: undefined } : circuit
}

export function recordSuccess(now: number): Circuit {
  return { ...CLOSED, lastSuccessAt: now }
}

/** Requests sent before the last success do not count. Otherwise, one slow tool would block the requests of others. */
export function recordFailure(circuit: Circuit, sentAt: number, now: number, maxFailures: number): Circuit {
  const isOpen = circuit.pauseMs > 0
  if (sentAt < circuit.lastSuccessAt || (isOpen && sentAt < circuit.openedAt)) return circuit
  const failures = circuit.failures + 1
  if (!isOpen && failures < maxFailures) return { ...circuit, failures }
  const pauseMs = isOpen ? Math.min(2 * circuit.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS
  return { ...circuit, failures, openedAt: now, pauseMs, probeSentAt: undefined }
}
