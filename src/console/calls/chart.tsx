import { classifyOutcome } from '../../core/call/call-record.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { Time } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'
import type { Range } from './range.tsx'

type Usage = ApiAnswers['GET /usage']['items'][number]
type ListedCall = ApiAnswers['GET /calls']['items'][number]

interface Bar {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly calls: number
  readonly failures: number
  readonly waiting: number
  readonly p50: number
  readonly p95: number
}

const WIDTH = 720
const HEIGHT = 200
const TICKS = 4

/** Creates one bar for each step of a range, including steps without calls. */
export function toUsageBars(items: readonly Usage[], range: Range): readonly Bar[] {
  const byStart = new Map(items.map((usage) => [Date.parse(usage.group.hour ?? usage.group.day ?? ''), usage]))
  return buildBars(range, (at) => {
    const { calls = 0, failures = 0, waiting = 0, p50_ms = 0, p95_ms = 0 } = byStart.get(at) ?? {}
    return { at, calls, failures, waiting, p50: p50_ms, p95: p95_ms }
  })
}

/** For steps shorter than an hour, because usage is counted by whole hours. */
export function toCallBars(items: readonly ListedCall[], range: Range): readonly Bar[] {
  const byStart = Map.groupBy(items, ({ at }) => Math.floor(Date.parse(at) / range.step) * range.step)
  return buildBars(range, (at) => {
    const calls = byStart.get(at) ?? []
    const durations = calls.map(({ duration_ms }) => duration_ms).sort((one, other) => one - other)
    const quantile = (fraction: number) => durations[Math.ceil(durations.length * fraction) - 1] ?? 0
    const outcomes = calls.map(({ outcome }) => classifyOutcome(outcome))
    const count = (name: string) => outcomes.filter((outcome) => outcome === name).length
    return {
      at,
      calls: calls.length,
      failures: count('failure'),
      waiting: count('waiting'),
      p50: quantile(0.5),
      p95: quantile(0.95),
    }
  })
}

function buildBars({ start, step, bars }: Range, createBar: (at: number) => Bar): readonly Bar[] {
  return Array.from({ length: bars }, (_, index) => createBar(start + index * step))
}

export function CallsChart({ bars, range }: { bars: readonly Bar[]; range: Range }) {
  const sum = (name: 'calls' | 'failures' | 'waiting') => bars.reduce((total, bar) => total + bar[name], 0)
  const [total, failed, waited] = [sum('calls'), sum('failures'), sum('waiting')]
  if (total === 0) return undefined
  const maxCalls = roundUp(Math.max(...bars.map(({ calls }) => calls)))
  const maxP95 = roundUp(Math.max(...bars.map(({ p95 }) => p95)))
  const step = WIDTH / bars.length
  const waitedText = waited === 0 ? '' : `, ${waited.toLocaleString('en')} waiting for a person`
  const scaleY = (value: number, top: number) => Math.round(HEIGHT * (1 - value / top))
  const summary = `${formatCount(total, 'call')}, ${failed.toLocaleString('en')} failed (${formatRate(failed, total)})${waitedText}; 95 % took ${formatMs(Math.max(...bars.map(({ p95 }) => p95)))} or less`
  return (
    <figure class="chart">
      <p class="legend">
        <span class="calls">Calls</span>
        <span class="waiting">Waits for a person</span>
        <span class="failures">Failed</span>
        <span class="slow">p95</span>
      </p>
      <Axis labels={buildTicks(maxCalls).map((value) => value.toLocaleString('en'))} />
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {buildTicks(HEIGHT).map((y) => (
          <line class="grid" x1={0} x2={WIDTH} y1={y} y2={y} />
        ))}
        {bars.map(({ calls, failures, waiting, p95 }, index) => {
          if (calls === 0) return undefined
          const [left, width] = [Math.round(index * step) + 1, Math.round(step) - 2]
          const parts = [
            ['calls', calls],
            ['waiting', failures + waiting],
            ['failures', failures],
          ] as const
          const p95Y = scaleY(p95, maxP95)
          return (
            <>
              {parts.map(([name, top]) => {
                const y = scaleY(top, maxCalls)
                return y < HEIGHT && <rect class={name} x={left} width={width} y={y} height={HEIGHT - y} />
              })}
              <line class="slow" x1={left} x2={left + width} y1={p95Y} y2={p95Y} />
            </>
          )
        })}
      </svg>
      <Axis labels={buildTicks(maxP95).map(formatMs)} />
      <p class="ticks" aria-hidden="true">
        {Array.from({ length: TICKS }, (_, index) => (
          <Tick range={range} index={index} />
        ))}
      </p>
      <figcaption class="note">
        {summary}. {range.by === 'day' ? 'Days are UTC.' : <span data-utc>Times are UTC.</span>}
      </figcaption>
      <details>
        <summary>Show as a table</summary>
        <Table label="Calls by time" columns={buildColumns(range)} items={bars.filter(({ calls }) => calls > 0)} />
      </details>
    </figure>
  )
}

function Axis({ labels }: { labels: readonly string[] }) {
  return (
    <p class="axis" aria-hidden="true">
      {labels.toReversed().map((label) => (
        <span>{label}</span>
      ))}
    </p>
  )
}

/** The first tick also shows the day. */
function Tick({ range: { start, bars, step, by }, index }: { range: Range; index: number }) {
  const at = start + (index * bars * step) / TICKS
  const isFirst = index === 0
  const iso = new Date(at).toISOString()
  if (by === 'day') return <span>{formatDay(at)}</span>
  return (
    <time datetime={iso} data-format={isFirst ? 'day' : 'hour'}>
      {isFirst ? `${formatDay(at)}, ` : ''}
      {iso.slice(11, 16)}
    </time>
  )
}

function buildColumns({ by }: Range): readonly Column<Bar>[] {
  return [
    {
      title: by === 'day' ? 'Day' : 'Time',
      isName: true,
      cell: ({ at }) => (by === 'day' ? formatDay(at) : <Time at={new Date(at).toISOString()} />),
    },
    { title: 'Calls', cell: ({ calls }) => String(calls) },
    { title: 'Waiting', cell: ({ waiting }) => String(waiting) },
    { title: 'Failed', cell: ({ failures }) => String(failures) },
    { title: 'p50', cell: ({ p50 }) => formatMs(p50) },
    { title: 'p95', cell: ({ p95 }) => formatMs(p95) },
  ]
}

function buildTicks(top: number): readonly number[] {
  return [0, top / 2, top]
}

/** Rounds up to 2, 4, 6 or 10 times a power of ten, so that half of it is a whole number too. */
function roundUp(max: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, max)))
  return unit * ([2, 4, 6, 10].find((factor) => factor * unit >= max) ?? 10)
}

function formatDay(at: number): string {
  return new Date(at).toLocaleDateString('en', { timeZone: 'UTC', month: 'short', day: 'numeric' })
}

export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

export function formatRate(failures: number, calls: number): string {
  return `${((100 * failures) / calls).toFixed(1)} %`
}
