import { describe, expect, it } from 'vitest'
import { withinBudget, createBudget, textUnits, chargeValue } from '../../../src/core/tool/budget.ts'

it('a budget has a number of units, and then no more', () => {
  const budget = createBudget(10)
  const work = (units: number) => withinBudget(() => budget.spend(units, '/a'), 'Too much')
  expect(work(10)).toEqual({ ok: true, value: undefined })
  expect(work(1)).toEqual({ ok: false, problems: [{ path: '/a', message: 'Too much' }] })
  expect(work(0).ok).toBe(false)
})

it('a budget may be a share of another, which shrinks with it', () => {
  const whole = createBudget(10)
  const [one, other] = [createBudget(8, whole), createBudget(8, whole)]
  one.spend(8)
  expect([whole.spent, one.spent, other.spent]).toEqual([8, 8, 0])
  expect(withinBudget(() => one.spend(1), '').ok).toBe(false)
  expect(withinBudget(() => other.spend(2), '').ok).toBe(false)
})

it('a budget reports the start of a long path', () => {
  const exhausted = withinBudget(() => createBudget(0).spend(1, `/${'n'.repeat(100_000)}`), 'Too much')
  expect(exhausted).toMatchObject({ ok: false, problems: [{ path: `/${'n'.repeat(999)}` }] })
})

it('a budget does not catch other errors', () => {
  const defect = () => {
    throw new TypeError('defect')
  }
  expect(() => withinBudget(defect, '')).toThrow('defect')
})

describe('the units of a value', () => {
  const units = (value: unknown) => {
    const budget = createBudget(Infinity)
    chargeValue(value, budget)
    return budget.spent
  }

  it('the units of a value are one for each part, and one for each 64 characters', () => {
    expect([units(null), units(1), units([]), units({}), units([[], [1, true]])]).toEqual([1, 1, 1, 1, 5])
    expect([units(''), units('a'.repeat(64)), textUnits('a'.repeat(128))]).toEqual([1, 2, 3])
    expect(units({ ['k'.repeat(64)]: 0 })).toBe(3)
  })

  it('the units of a value count a repeated part each time', () => {
    const part = ['a', 'b', 'c']
    expect(units([part, part, part])).toBe(1 + 3 * units(part))
  })
})
