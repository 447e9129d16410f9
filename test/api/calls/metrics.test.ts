import { expect, it } from 'vitest'
import { answerMetrics, encodeMetrics } from '../../../src/api/calls/metrics.ts'
import { readOpenMetrics } from './open-metrics.ts'

const eof = (...lines: string[]) => [...lines, '# EOF', ''].join('\n')
const BUCKET = 'h_bucket{le='
it.each([
  ['no end', 'a 1\n'],
  ['a sample without a family', eof('a_total 1')],
  ['a sample of another name', eof('# TYPE a counter', 'b_total 1')],
  ['a counter without its suffix', eof('# TYPE a counter', 'a 1')],
  ['a counter below 0', eof('# TYPE a counter', 'a_total -1')],
  ['a sample twice', eof('# TYPE a counter', 'a_total 1', 'a_total 1')],
  ['a label twice', eof('# TYPE a counter', 'a_total{x="1",x="2"} 1')],
  ['a name that is not escaped', eof('# TYPE a counter', 'a_total{x="a"b"} 1')],
  ['a family in two places', eof('# TYPE a counter', 'a_total 1', '# TYPE b counter', 'b_total 1', '# HELP a again')],
  ['a unit that is not in the name', eof('# TYPE a counter', '# UNIT a seconds')],
  ['an unknown type', eof('# TYPE a number')],
  ['an empty line', eof('# TYPE a counter', '', 'a_total 1')],
  ['buckets that fall', eof('# TYPE h histogram', `${BUCKET}"1.0"} 2`, `${BUCKET}"+Inf"} 1`, 'h_count 1')],
  ['no last bucket', eof('# TYPE h histogram', `${BUCKET}"1.0"} 2`, 'h_count 2')],
  ['another count', eof('# TYPE h histogram', `${BUCKET}"+Inf"} 2`, 'h_count 1')],
  ['a bound that is no float', eof('# TYPE h histogram', `${BUCKET}"1"} 1`, `${BUCKET}"+Inf"} 1`, 'h_count 1')],
])('the OpenMetrics reader of these tests refuses %s', (_, text) => expect(() => readOpenMetrics(text)).toThrow())

it('the OpenMetrics reader of these tests reads valid text', () => {
  const text = eof('# TYPE h histogram', `${BUCKET}"1.0"} 1`, `${BUCKET}"+Inf"} 2`, 'h_count 2', 'h_sum 1.5')
  expect([...(readOpenMetrics(text).get('h')?.samples.values() ?? [])]).toEqual([1, 2, 2, 1.5])
})

const counted = {
  since: Date.parse('2026-06-15'),
  calls: [{ toolkit: 'A', tool: 'A"\\\nb', outcome: 'success', calls: 3 }],
  durations: [
    {
      toolkit: 'A',
      seconds: 0.25,
      calls: 3,
      atMost: [
        { seconds: 0.1, calls: 1 },
        { seconds: 5, calls: 3 },
      ],
    },
  ],
  lost: 2,
}

it('metrics are valid OpenMetrics, whatever names contain', () => {
  const families = readOpenMetrics(encodeMetrics(counted, '1.2.3', true))
  expect(families.get('switchboard_calls')?.samples.size).toBe(2)
  expect(families.get('switchboard_call_duration_seconds')?.type).toBe('histogram')
  expect(encodeMetrics(counted, '1.2.3', true).split('\n')).toEqual([
    '# TYPE switchboard info',
    '# HELP switchboard The version that answers.',
    'switchboard_info{version="1.2.3"} 1',
    '# TYPE switchboard_calls counter',
    '# HELP switchboard_calls Calls today (UTC).',
    'switchboard_calls_total{toolkit="A",tool="A\\"\\\\\\nb",outcome="success"} 3',
    'switchboard_calls_created{toolkit="A",tool="A\\"\\\\\\nb",outcome="success"} 1781481600',
    '# TYPE switchboard_call_duration_seconds histogram',
    '# UNIT switchboard_call_duration_seconds seconds',
    '# HELP switchboard_call_duration_seconds How long calls took today (UTC).',
    'switchboard_call_duration_seconds_bucket{toolkit="A",le="0.1"} 1',
    'switchboard_call_duration_seconds_bucket{toolkit="A",le="5.0"} 3',
    'switchboard_call_duration_seconds_bucket{toolkit="A",le="+Inf"} 3',
    'switchboard_call_duration_seconds_count{toolkit="A"} 3',
    'switchboard_call_duration_seconds_sum{toolkit="A"} 0.25',
    'switchboard_call_duration_seconds_created{toolkit="A"} 1781481600',
    '# TYPE switchboard_records_lost counter',
    '# HELP switchboard_records_lost Calls today that could not be recorded.',
    'switchboard_records_lost_total 2',
    'switchboard_records_lost_created 1781481600',
    '# EOF',
    '',
  ])
})

it('metrics are Prometheus text for clients that do not accept OpenMetrics', async () => {
  const answered = (accept: string | null) => answerMetrics(counted, '1.2.3', accept)
  for (const accept of [null, '*/*', 'text/plain;version=0.0.4']) {
    expect(answered(accept).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  }
  const scraper = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
  expect(answered(scraper).headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1.0.0/)
  expect(await answered(null).text()).toBe(
    String.raw`# TYPE switchboard_info gauge
# HELP switchboard_info The version that answers.
switchboard_info{version="1.2.3"} 1
# TYPE switchboard_calls_total counter
# HELP switchboard_calls_total Calls today (UTC).
switchboard_calls_total{toolkit="A",tool="A\"\\\nb",outcome="success"} 3
# TYPE switchboard_call_duration_seconds histogram
# HELP switchboard_call_duration_seconds How long calls took today (UTC).
switchboard_call_duration_seconds_bucket{toolkit="A",le="0.1"} 1
switchboard_call_duration_seconds_bucket{toolkit="A",le="5.0"} 3
switchboard_call_duration_seconds_bucket{toolkit="A",le="+Inf"} 3
switchboard_call_duration_seconds_count{toolkit="A"} 3
switchboard_call_duration_seconds_sum{toolkit="A"} 0.25
# TYPE switchboard_records_lost_total counter
# HELP switchboard_records_lost_total Calls today that could not be recorded.
switchboard_records_lost_total 2
`,
  )
})
