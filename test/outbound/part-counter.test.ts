import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partCounter } from '../../src/outbound/part-counter.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const count = (text: string) => partCounter()(bytes(text))

it('counts at least the parts of any JSON, and at most its punctuation, in any chunks', () => {
  const partsOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, each) => sum + 1 + partsOf(each), 0)
      : 0
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, cut) => {
      const text = JSON.stringify(value)
      const whole = bytes(text)
      const counter = partCounter()
      const at = cut % (whole.length + 1)
      const parts = counter(whole.subarray(0, at)) + counter(whole.subarray(at))
      expect(parts).toBe(count(text))
      expect(parts).toBeGreaterThanOrEqual(partsOf(value))
    }),
  )
})

it('counts nothing in strings, whatever is escaped in them', () => {
  expect(count('"a,:[\\",:[\\\\"')).toBe(0)
  expect(count('"\\\\",')).toBe(1)
})

it('is not misled by another line of an event', () => {
  expect(count(': a comment with one quote "\ndata: [1,2,3]\n\n')).toBe(
    count(': a comment with none \ndata: [1,2,3]\n\n'),
  )
  expect(count('id: "\\\r\ndata: [1,2]\r\n\r\n')).toBe(count('id: \r\ndata: [1,2]\r\n\r\n'))
})
