import { expect, it } from 'vitest'
import { formatDay, daysBetween } from '../../../src/storage/records/days.ts'

const at = (text: string) => Date.parse(text)

it('a time belongs to a UTC day', () => {
  expect(formatDay(at('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31')
  expect(formatDay(at('2026-02-01T01:00:00+02:00'))).toBe('2026-01-31')
})

it.each([
  ['2026-02-28T12:00:00Z', '2026-03-01T00:00:00.001Z', ['2026-03-01', '2026-02-28']],
  ['2026-02-28T12:00:00Z', '2026-03-01T00:00:00Z', ['2026-02-28']],
  ['2026-02-28T00:00:00Z', '2026-02-28T00:00:01Z', ['2026-02-28']],
  ['2026-02-27T23:59:59Z', '2026-02-28T00:00:01Z', ['2026-02-28', '2026-02-27']],
])('the days from %s until before %s are %j', (since, until, days) => {
  expect(daysBetween(at(since), at(until))).toEqual(days)
})
