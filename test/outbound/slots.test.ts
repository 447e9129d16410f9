import { expect, it } from 'vitest'
import { createSlots } from '../../src/outbound/slots.ts'

it('places are taken, given back, and taken again', () => {
  const places = createSlots(2)
  const first = places.take(0, 100)
  expect([first, places.take(0, 100), places.take(0, 100)]).toEqual([expect.anything(), expect.anything(), undefined])
  expect(places.taken(0)).toBe(2)
  first?.release()
  first?.release()
  expect(places.taken(0)).toBe(1)
  expect(places.take(0, 100)).toBeDefined()
  expect(places.take(0, 100)).toBeUndefined()
})

it('a slot that is never given back is lost in time', () => {
  const places = createSlots(1)
  const lost = places.take(0, 100)
  expect(places.take(99, 100)).toBeUndefined()
  expect(places.taken(100)).toBe(0)
  expect(places.take(100, 100)).toBeDefined()
  lost?.release()
  expect(places.taken(150)).toBe(1)
})

it('a slot may take the room of several', () => {
  const places = createSlots(10)
  const large = places.take(0, 100, 8)
  expect([places.take(0, 100, 3), places.take(0, 200, 2)]).toEqual([undefined, expect.anything()])
  large?.release()
  expect([places.taken(0), places.take(0, 100, 9), places.taken(200)]).toEqual([2, undefined, 0])
})
