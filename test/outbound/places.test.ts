import { expect, it } from 'vitest'
import { createPlaces } from '../../src/outbound/places.ts'

it('places are taken, given back, and taken again', () => {
  const places = createPlaces(2)
  const first = places.take(0, 100)
  expect([first, places.take(0, 100), places.take(0, 100)]).toEqual([expect.anything(), expect.anything(), undefined])
  expect(places.taken(0)).toBe(2)
  first?.giveBack()
  first?.giveBack()
  expect(places.taken(0)).toBe(1)
  expect(places.take(0, 100)).toBeDefined()
  expect(places.take(0, 100)).toBeUndefined()
})

it('a place that is never given back is lost in time', () => {
  const places = createPlaces(1)
  const lost = places.take(0, 100)
  expect(places.take(99, 100)).toBeUndefined()
  expect(places.taken(100)).toBe(0)
  expect(places.take(100, 100)).toBeDefined()
  lost?.giveBack()
  expect(places.taken(150)).toBe(1)
})
