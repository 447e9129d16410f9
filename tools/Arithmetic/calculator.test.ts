import { describe, expect, it } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import calculator from './calculator.ts'

const run = (name: string, a: number, b: number) => calculator.findHandler(name)({ a, b }, contextFor().context)

describe('the calculator', () => {
  it.each([
    [2, 3, 5, -1],
    [10, 4, 14, 6],
    [-1, 1, 0, -2],
    [0.75, 0.5, 1.25, 0.25],
  ])('of %d and %d gives the sum %d and the difference %d', (a, b, sum, difference) => {
    expect(run('add', a, b)).toEqual({ result: sum })
    expect(run('subtract', a, b)).toEqual({ result: difference })
  })

  it('does nothing else', () => {
    expect(() => run('multiply', 1, 2)).toThrow("Cannot find what runs for 'multiply'")
  })
})
