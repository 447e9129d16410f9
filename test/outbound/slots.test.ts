import { describe, expect, it } from 'vitest'
import { createSlots, takeAll } from '../../src/outbound/slots.ts'

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

describe('a slot of two bounds', () => {
  it('takes nothing of its own where the other is full', () => {
    const [own, all] = [createSlots(2), createSlots(1)]
    const other = all.take(0, 100)
    for (let count = 0; count < 5; count++) expect(takeAll([own, all], 0, 100)).toBeUndefined()
    expect([own.taken(0), all.taken(0)]).toEqual([0, 1])
    other?.release()
    expect(takeAll([own, all], 0, 100)).toBeDefined()
  })

  it('takes nothing of the other where its own is full', () => {
    const [own, all] = [createSlots(1), createSlots(3)]
    expect(takeAll([own, all], 0, 100)).toBeDefined()
    for (let count = 0; count < 5; count++) expect(takeAll([own, all], 0, 100)).toBeUndefined()
    expect([own.taken(0), all.taken(0)]).toEqual([1, 1])
  })

  it('gives both back, once, and is lost in both in time', () => {
    const [own, all] = [createSlots(8), createSlots(8)]
    const both = takeAll([own, all], 0, 100, 3)
    expect(takeAll([own, all], 0, 100, 5)).toBeDefined()
    expect([own.taken(0), all.taken(0)]).toEqual([8, 8])
    both?.release()
    both?.release()
    expect([own.taken(0), all.taken(0)]).toEqual([5, 5])
    expect([own.taken(100), all.taken(100)]).toEqual([0, 0])
  })
})
