import { expect, it } from 'vitest'
import { createYielder, createBudget } from '../../../src/core/tool/budget.ts'

it('yields after some work, and not after each step', async () => {
  const work = createBudget(Infinity)
  work.spend(50_000)
  let gaveWay = 0
  const mayGiveWay = createYielder(
    () => work.spent,
    async () => void (gaveWay += 1),
  )
  for (let step = 0; step < 1_000; step++) {
    work.spend(100)
    await mayGiveWay()
  }
  expect(gaveWay).toBe(10)
  work.spend(1_000_000)
  await mayGiveWay()
  await mayGiveWay()
  expect(gaveWay).toBe(11)
})
