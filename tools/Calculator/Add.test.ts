import { describe, expect, it } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import add from './Add.ts'

describe('Calculator.Add', () => {
  it.each([
    [10, 5, 15],
    [-1, 1, 0],
    [0.5, 0.25, 0.75],
    [0.1, 0.2, 0.1 + 0.2],
    [1e16, 1, 1e16],
    [1e-300, -1e-300, 0],
    [Number.MAX_SAFE_INTEGER, 1, 2 ** 53],
  ])('adds %d and %d to %d', (a, b, sum) => {
    expect(add.handler({ a, b }, contextFor().context)).toBe(sum)
  })

  it('gives what is past the range of doubles as it is: the executor refuses to answer with it', () => {
    expect(add.handler({ a: 1e308, b: 1e308 }, contextFor().context)).toBe(Infinity)
  })
})
