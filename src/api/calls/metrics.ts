import type { CallMetrics } from '../../core/call/recorded-calls.ts'

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8'

export function answerMetrics(counted: CallMetrics, version: string, accept: string | null): Response {
  const isOpen = /\bapplication\/openmetrics-text\b/i.test(accept ?? '')
  const headers = { 'content-type': isOpen ? OPEN_METRICS : PROMETHEUS_TEXT, 'vary': 'accept' }
  return new Response(encodeMetrics(counted, version, isOpen), { headers })
}

/** Prometheus' text names a counter by its samples, and has no type `info`, no units, no times of creation and no end. */
export function encodeMetrics(
  { since, calls, durations, lost }: CallMetrics,
  version: string,
  isOpen: boolean,
): string {
  const lines: string[] = []
  const family = (name: string, type: 'info' | 'counter' | 'histogram', help: string) => {
    const named = isOpen || type === 'histogram' ? name : `${name}_${type === 'info' ? 'info' : 'total'}`
    lines.push(`# TYPE ${named} ${isOpen || type !== 'info' ? type : 'gauge'}`)
    if (isOpen && name.endsWith('_seconds')) lines.push(`# UNIT ${named} seconds`)
    lines.push(`# HELP ${named} ${help}`)
  }
  const created = (name: string, of = '') => {
    if (isOpen) lines.push(`${name}_created${of} ${since / 1_000}`)
  }
  family('switchboard', 'info', 'The version that answers.')
  lines.push(`switchboard_info${labels({ version })} 1`)
  family('switchboard_calls', 'counter', 'Calls today (UTC).')
  for (const { calls: count, ...names } of calls) {
    lines.push(`switchboard_calls_total${labels(names)} ${count}`)
    created('switchboard_calls', labels(names))
  }
  const duration = 'switchboard_call_duration_seconds'
  family(duration, 'histogram', 'How long calls took today (UTC).')
  for (const { toolkit, seconds, calls: count, atMost } of durations) {
    for (const step of atMost)
      lines.push(`${duration}_bucket${labels({ toolkit, le: formatFloat(step.seconds) })} ${step.calls}`)
    lines.push(`${duration}_bucket${labels({ toolkit, le: '+Inf' })} ${count}`)
    lines.push(`${duration}_count${labels({ toolkit })} ${count}`, `${duration}_sum${labels({ toolkit })} ${seconds}`)
    created(duration, labels({ toolkit }))
  }
  family('switchboard_records_lost', 'counter', 'Calls today that could not be recorded.')
  lines.push(`switchboard_records_lost_total ${lost}`)
  created('switchboard_records_lost')
  return [...lines, ...(isOpen ? ['# EOF'] : []), ''].join('\n')
}

/** OpenMetrics 1.0, "Considerations: Canonical Numbers". */
function formatFloat(seconds: number): string {
  return Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)
}

function labels(named: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${Object.entries(named)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`
}
