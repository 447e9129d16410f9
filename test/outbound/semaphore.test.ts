import { expect, it } from 'vitest'
import { createSemaphore, takeBoth } from '../../src/outbound/semaphore.ts'

it('permits are taken, released, and taken again', () => {
  const semaphore = createSemaphore(2)
  const first = semaphore.take(0, 100)
  expect([first, semaphore.take(0, 100), semaphore.take(0, 100)]).toEqual([
    expect.anything(),
    expect.anything(),
    undefined,
  ])
  expect(semaphore.countInUse(0)).toBe(2)
  first?.release()
  first?.release()
  expect(semaphore.countInUse(0)).toBe(1)
  expect(semaphore.take(0, 100)).toBeDefined()
  expect(semaphore.take(0, 100)).toBeUndefined()
})

it('a permit that is never released expires', () => {
  const semaphore = createSemaphore(1)
  const lost = semaphore.take(0, 100)
  expect(semaphore.take(99, 100)).toBeUndefined()
  expect(semaphore.countInUse(100)).toBe(0)
  expect(semaphore.take(100, 100)).toBeDefined()
  lost?.release()
  expect(semaphore.countInUse(150)).toBe(1)
})

it('a permit of two semaphores takes nothing from its own one if the other is full', () => {
  const [own, all] = [createSemaphore(2), createSemaphore(1)]
  const other = all.take(0, 100)
  for (let count = 0; count < 5; count++) expect(takeBoth(own, all, 0, 100)).toBeUndefined()
  expect([own.countInUse(0), all.countInUse(0)]).toEqual([0, 1])
  other?.release()
  expect(takeBoth(own, all, 0, 100)).toBeDefined()
})

it('a permit of two semaphores takes nothing from the other one if its own is full', () => {
  const [own, all] = [createSemaphore(1), createSemaphore(3)]
  expect(takeBoth(own, all, 0, 100)).toBeDefined()
  for (let count = 0; count < 5; count++) expect(takeBoth(own, all, 0, 100)).toBeUndefined()
  expect([own.countInUse(0), all.countInUse(0)]).toEqual([1, 1])
})

it('a permit of two semaphores releases both once, and expires in both', () => {
  const [own, all] = [createSemaphore(2), createSemaphore(2)]
  const both = takeBoth(own, all, 0, 100)
  expect(takeBoth(own, all, 0, 100)).toBeDefined()
  both?.release()
  both?.release()
  expect([own.countInUse(0), all.countInUse(0)]).toEqual([1, 1])
  expect([own.countInUse(100), all.countInUse(100)]).toEqual([0, 0])
})
