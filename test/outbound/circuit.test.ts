import { describe, expect, it } from 'vitest'
import {
  abandoned,
  type Circuit,
  CLOSED,
  failed,
  heard,
  MAX_FAILURES,
  pauseOf,
  sent,
  stateOf,
} from '../../src/outbound/circuit.ts'

/** A circuit after so many failures, the last of them at `at`. */
function after(failures: number, at: number, from: Circuit = CLOSED): Circuit {
  let circuit = from
  for (let made = 0; made < failures; made++) circuit = failed(circuit, at, at)
  return circuit
}

describe('a circuit', () => {
  it('stays closed up to a number of failures in a row, and opens with the last', () => {
    const nearly = after(MAX_FAILURES - 1, 1_000)
    expect([stateOf(nearly, 1_000), pauseOf(nearly, 1_000)]).toEqual(['closed', 0])
    expect(sent(nearly, 1_000)).toBe(nearly)
    const open = after(1, 1_000, nearly)
    expect([stateOf(open, 1_000), pauseOf(open, 1_000)]).toEqual(['open', 2_000])
    expect([stateOf(open, 2_999), pauseOf(open, 2_999)]).toEqual(['open', 1])
  })

  it('begins to count anew with every answer', () => {
    const answered = after(MAX_FAILURES - 1, 1_001, heard(1_000))
    expect(stateOf(answered, 1_001)).toBe('closed')
    expect(heard(1_000)).toEqual({ ...CLOSED, heardAt: 1_000 })
  })

  it('sends one request when its pause is over, and the others wait for that, but not for long', () => {
    const open = after(MAX_FAILURES, 1_000)
    expect([stateOf(open, 3_000), pauseOf(open, 3_000)]).toEqual(['half-open', 0])
    const probing = sent(open, 3_000)
    expect([stateOf(probing, 3_001), pauseOf(probing, 3_001)]).toEqual(['half-open', 4_999])
    expect(pauseOf(probing, 8_000)).toBe(0)
  })

  it('sends another at once where nobody waited for that one', () => {
    const probing = sent(after(MAX_FAILURES, 1_000), 3_000)
    expect(pauseOf(abandoned(probing, 3_000), 3_001)).toBe(0)
    // One that was sent before it
    expect(abandoned(probing, 900)).toBe(probing)
  })

  it('is closed by an answer, and opened for twice as long by a failure, up to half a minute', () => {
    let circuit = after(MAX_FAILURES, 1_000)
    expect(stateOf(heard(3_000), 3_000)).toBe('closed')
    const pauses: number[] = []
    let now = 3_000
    for (let probe = 0; probe < 6; probe++) {
      circuit = failed(sent(circuit, now), now, now + 10)
      pauses.push(pauseOf(circuit, now + 10))
      now += 10 + circuit.pauseMs
    }
    expect(pauses).toEqual([4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    // All that is forgotten with an answer
    expect(pauseOf(after(MAX_FAILURES, now, heard(now)), now)).toBe(2_000)
  })

  it('is not opened by slow requests while others are answered', () => {
    let circuit = heard(2_000)
    for (let slow = 0; slow < 3 * MAX_FAILURES; slow++) circuit = failed(circuit, 1_000, 30_000)
    expect(circuit).toEqual(heard(2_000))
  })

  it('is opened once by requests that were on their way together', () => {
    const open = after(MAX_FAILURES, 1_000)
    expect(failed(open, 999, 1_500)).toBe(open)
  })
})
