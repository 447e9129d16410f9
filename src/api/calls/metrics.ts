import type { CallMetrics } from '../../core/call/recorded-calls.ts'

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8'

export function answerMetrics(metrics: CallMetrics, version: string, accept: string | null): Response {
  const isOpen = /\bapplication\/openmetrics-text\b/i.test(accept ?? '')
  const headers = { 'content-type': isOpen ? OPEN_METRICS : PROMETHEUS_TEXT, 'vary': 'accept' }
  return new Response(encodeMetrics(metrics, version, isOpen), { headers })
}

/** Prometheus text names counters after their samples, and has no type `info`, units, creation times or end marker. */
export function encodeMetrics(
  { since, calls, durations, lost }: CallMetrics,
  version: string,
  isOpen: boolean,
): string {
  const lines: string[] = []
  const addFamily = (name: string, type: 'info' | 'counter' | 'histogram', help: string) => {
    const familyName = isOpen || type === 'histogram' ? name : `${name}_${type === 'info' ? 'info' : 'total'}`
    lines.push(`# TYPE ${familyName} ${isOpen || type !== 'info' ? type : 'gauge'}`)
    if (isOpen && name.endsWith('_seconds')) lines.push(`# UNIT ${familyName} seconds`)
    lines.push(`# HELP ${familyName} ${help}`)
  }
  const addCreated = (name: string, labelText = '') => {
    if (isOpen) lines.push(`${name}_created${labelText} ${since / 1_000}`)
  }
  addFamily('switchboard', 'info', 'The version that answers.')
  lines.push(`switchboard_info${formatLabels({ version })} 1`)
  addFamily('switchboard_calls', 'counter', 'Calls today (UTC).')
  for (const { calls: count, ...sampleLabels } of calls) {
    lines.push(`switchboard_calls_total${formatLabels(sampleLabels)} ${count}`)
    addCreated('switchboard_calls', formatLabels(sampleLabels))
  }
  const duration = 'switchboard_call_duration_seconds'
  addFamily(duration, 'histogram', 'How long calls took today (UTC).')
  for (const { toolkit, seconds, calls: count, atMost } of durations) {
    for (const step of atMost)
      lines.push(`${duration}_bucket${formatLabels({ toolkit, le: formatFloat(step.seconds) })} ${step.calls}`)
    lines.push(`${duration}_bucket${formatLabels({ toolkit, le: '+Inf' })} ${count}`)
    lines.push(
      `${duration}_count${formatLabels({ toolkit })} ${count}`,
      `${duration}_sum${formatLabels({ toolkit })} ${seconds}`,
    )
    addCreated(duration, formatLabels({ toolkit }))
  }
  addFamily('switchboard_records_lost', 'counter', 'Calls today that could not be recorded.')
  lines.push(`switchboard_records_lost_total ${lost}`)
  addCreated('switchboard_records_lost')
  return [...lines, ...(isOpen ? ['# EOF'] : []), ''].join('\n')
}

/** OpenMetrics 1.0, "Considerations: Canonical Numbers". */
function formatFloat(seconds: number): string {
  return Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const escapeValue = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',')}}`
}
