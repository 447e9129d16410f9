import type { Usage } from '../../core/call/recorded-calls.ts'
import { type Column, Table } from '../table.tsx'

interface ChartProps {
  readonly items: readonly Usage[]
  readonly since: string
  readonly until: string
}

const HOUR_MS = 3_600_000
const WIDTH = 720
const HEIGHT = 200
const MOST_HOURS = 48

interface Hour {
  readonly at: string
  readonly calls: number
  readonly failures: number
  readonly p50: number
  readonly p95: number
}

/** Every hour of a time, those without a call too. */
export function hoursOf({ items, since, until }: ChartProps): readonly Hour[] {
  const byHour = new Map(items.map((usage) => [Date.parse(usage.group.hour ?? ''), usage]))
  const first = Math.floor(Date.parse(since) / HOUR_MS) * HOUR_MS
  const count = Math.min(MOST_HOURS, Math.ceil((Date.parse(until) - first) / HOUR_MS))
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const at = first + index * HOUR_MS
    const { calls = 0, failures = 0, p50_ms = 0, p95_ms = 0 } = byHour.get(at) ?? {}
    return { at: new Date(at).toISOString().slice(0, 16).replace('T', ' '), calls, failures, p50: p50_ms, p95: p95_ms }
  })
}

const COLUMNS: readonly Column<Hour>[] = [
  { title: 'Hour (UTC)', isName: true, cell: ({ at }) => at },
  { title: 'Calls', cell: ({ calls }) => String(calls) },
  { title: 'Failed', cell: ({ failures }) => String(failures) },
  { title: 'p50', cell: ({ p50 }) => `${Math.round(p50)} ms` },
  { title: 'p95', cell: ({ p95 }) => `${Math.round(p95)} ms` },
]

export function UsageChart(props: ChartProps) {
  const hours = hoursOf(props)
  const total = hours.reduce((sum, { calls }) => sum + calls, 0)
  const failed = hours.reduce((sum, { failures }) => sum + failures, 0)
  if (total === 0) return undefined
  const most = Math.max(...hours.map(({ calls }) => calls))
  const slowest = Math.max(1, ...hours.map(({ p95 }) => p95))
  const step = WIDTH / hours.length
  const tall = (value: number, of: number) => (value / of) * HEIGHT
  const words = `${total} calls in ${hours.length} hours, ${failed} failed; at peak ${most} calls an hour, p95 up to ${Math.round(slowest)} ms`
  return (
    <figure>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {hours.map(({ calls, failures, p95 }, index) => (
          <>
            {[calls, failures].map((count, series) => (
              <rect
                class={series === 0 ? 'calls' : 'failures'}
                x={index * step + 1}
                width={step - 2}
                y={HEIGHT - tall(count, most)}
                height={tall(count, most)}
              />
            ))}
            {calls === 0 ? undefined : (
              <line
                class="slow"
                x1={index * step + 1}
                x2={(index + 1) * step - 1}
                y1={HEIGHT - tall(p95, slowest)}
                y2={HEIGHT - tall(p95, slowest)}
              />
            )}
          </>
        ))}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{hours[0]?.at}</span>
        <span>{hours.at(-1)?.at} UTC</span>
      </p>
      <figcaption class="note">{words}. Bars are calls, the outlined part failed calls; the line is p95.</figcaption>
      <details>
        <summary>Show as a table</summary>
        <Table label="Calls by hour" columns={COLUMNS} items={hours.filter(({ calls }) => calls > 0)} />
      </details>
    </figure>
  )
}
