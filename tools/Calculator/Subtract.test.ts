import { describe, expect, it } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import subtract from './Subtract.ts'

describe('Calculator.Subtract', () => {
  it.each([
    [10, 4, 6],
    [4, 10, -6],
    [0.75, 0.5, 0.25],
    [0.3, 0.1, 0.3 - 0.1],
    [0, 0, 0],
  ])('subtracts from %d, %d, and gives %d', (a, b, result) => {
    expect(subtract.handler({ a, b }, contextFor().context)).toEqual({ result })
  })

  it('is for callers that are known, as its specification has it', () => {
    expect(subtract.securityLevel).toBe(1)
  })
})
