import { expect, it } from 'vitest'
import {
  recordAbandoned,
  type Circuit,
  CLOSED,
  recordFailure,
  recordSuccess,
  MAX_FAILURES,
  getPauseMs,
  recordSent,
  getCircuitState,
} from '../../src/outbound/circuit.ts'

/** Creates a circuit after this many failures, the last of them at `at`. */
function after(failures: number, at: number, from: Circuit = CLOSED): Circuit {
  let circuit = from
  for (let made = 0; made < failures; made++) circuit = recordFailure(circuit, at, at, MAX_FAILURES)
  return circuit
}

it('a circuit stays closed up to a number of consecutive failures, and opens with the last', () => {
  const nearly = after(MAX_FAILURES - 1, 1_000)
  expect([getCircuitState(nearly, 1_000), getPauseMs(nearly, 1_000)]).toEqual(['closed', 0])
  expect(recordSent(nearly, 1_000)).toBe(nearly)
  const open = after(1, 1_000, nearly)
  expect([getCircuitState(open, 1_000), getPauseMs(open, 1_000)]).toEqual(['open', 2_000])
  expect([getCircuitState(open, 2_999), getPauseMs(open, 2_999)]).toEqual(['open', 1])
})

it('a circuit starts to count again after every response', () => {
  const answered = after(MAX_FAILURES - 1, 1_001, recordSuccess(1_000))
  expect(getCircuitState(answered, 1_001)).toBe('closed')
  expect(recordSuccess(1_000)).toEqual({ ...CLOSED, lastSuccessAt: 1_000 })
})

it('a circuit sends one request when its pause ends, and the others wait for that one for a short time', () => {
  const open = after(MAX_FAILURES, 1_000)
  expect([getCircuitState(open, 3_000), getPauseMs(open, 3_000)]).toEqual(['half-open', 0])
  const probing = recordSent(open, 3_000)
  expect([getCircuitState(probing, 3_001), getPauseMs(probing, 3_001)]).toEqual(['half-open', 4_999])
  expect(getPauseMs(probing, 8_000)).toBe(0)
})

it('a circuit sends another request at once if the caller of that one has gone', () => {
  const probing = recordSent(after(MAX_FAILURES, 1_000), 3_000)
  expect(getPauseMs(recordAbandoned(probing, 3_000), 3_001)).toBe(0)
  // One that was sent before it
  expect(recordAbandoned(probing, 900)).toBe(probing)
})

it('a circuit closes with a response, and opens for twice as long with a failure, up to half a minute', () => {
  let circuit = after(MAX_FAILURES, 1_000)
  expect(getCircuitState(recordSuccess(3_000), 3_000)).toBe('closed')
  const pauses: number[] = []
  let now = 3_000
  for (let probe = 0; probe < 6; probe++) {
    circuit = recordFailure(recordSent(circuit, now), now, now + 10, MAX_FAILURES)
    pauses.push(getPauseMs(circuit, now + 10))
    now += 10 + circuit.pauseMs
  }
  expect(pauses).toEqual([4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  // All that is forgotten with an answer
  expect(getPauseMs(after(MAX_FAILURES, now, recordSuccess(now)), now)).toBe(2_000)
})

it('a circuit does not open because of slow requests while others get responses', () => {
  let circuit = recordSuccess(2_000)
  for (let slow = 0; slow < 3 * MAX_FAILURES; slow++) circuit = recordFailure(circuit, 1_000, 30_000, MAX_FAILURES)
  expect(circuit).toEqual(recordSuccess(2_000))
})

it('a circuit opens once for requests that were sent at the same time', () => {
  const open = after(MAX_FAILURES, 1_000)
  expect(recordFailure(open, 999, 1_500, MAX_FAILURES)).toBe(open)
})
