import { DAY_MS, HOUR_MS } from '../../core/tool/time.ts'
import { Select } from '../parts.tsx'

/** Time ranges for a page of calls, in bars of `step` milliseconds. `GET /usage` groups calls by the key `by`. */
const RANGES = {
  hour: { label: 'Last hour', bars: 12, step: HOUR_MS / 12, by: undefined },
  day: { label: 'Last 24 hours', bars: 24, step: HOUR_MS, by: 'hour' },
  week: { label: 'Last 7 days', bars: 8, step: DAY_MS, by: 'day' },
  month: { label: 'Last 28 days', bars: 28, step: DAY_MS, by: 'day' },
} as const

type RangeName = keyof typeof RANGES

export type Range = ReturnType<typeof parseRange>

const RANGE_NAMES: readonly RangeName[] = ['hour', 'day', 'week', 'month']
/** Usage is counted by whole hours. */
export const USAGE_RANGES: readonly RangeName[] = ['day', 'week', 'month']

/** `start` is the time of the first bar, in milliseconds since 1970. */
export function parseRange(name: string | undefined, defaultName: RangeName = 'day', names = RANGE_NAMES) {
  const rangeName = names.find((candidate) => candidate === name) ?? defaultName
  const range = RANGES[rangeName]
  const last = Math.floor(Date.now() / range.step) * range.step
  return { name: rangeName, ...range, start: last - (range.bars - 1) * range.step }
}

export function formatStart({ start }: Range): string {
  return new Date(start).toISOString()
}

export function RangeSelect({ range, names = RANGE_NAMES }: { range: Range; names?: typeof RANGE_NAMES }) {
  const options = names.map((name) => ({ value: name, text: RANGES[name].label }))
  return <Select label="Time range" name="range" options={options} value={range.name} />
}
