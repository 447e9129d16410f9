import type { Counted } from '../../core/call/recorded-calls.ts'

export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export function encodeMetrics({ since, calls, durations, lost }: Counted, version: string): string {
  const created = since / 1_000
  const lines = ['# TYPE switchboard info', '# HELP switchboard The version that answers.']
  lines.push(`switchboard_info${labels({ version })} 1`)
  lines.push('# TYPE switchboard_calls counter', '# HELP switchboard_calls Calls today (UTC).')
  for (const { calls: count, ...names } of calls) {
    lines.push(
      `switchboard_calls_total${labels(names)} ${count}`,
      `switchboard_calls_created${labels(names)} ${created}`,
    )
  }
  const family = 'switchboard_call_duration_seconds'
  lines.push(
    `# TYPE ${family} histogram`,
    `# UNIT ${family} seconds`,
    `# HELP ${family} How long calls took today (UTC).`,
  )
  for (const { toolkit, seconds, calls: count, atMost } of durations) {
    for (const step of atMost)
      lines.push(`${family}_bucket${labels({ toolkit, le: floatOf(step.seconds) })} ${step.calls}`)
    lines.push(`${family}_bucket${labels({ toolkit, le: '+Inf' })} ${count}`)
    lines.push(`${family}_count${labels({ toolkit })} ${count}`, `${family}_sum${labels({ toolkit })} ${seconds}`)
    lines.push(`${family}_created${labels({ toolkit })} ${created}`)
  }
  lines.push('# TYPE switchboard_records_lost counter')
  lines.push('# HELP switchboard_records_lost Calls today that could not be recorded.')
  lines.push(`switchboard_records_lost_total ${lost}`, `switchboard_records_lost_created ${created}`, '# EOF', '')
  return lines.join('\n')
}

/** OpenMetrics 1.0, "Considerations: Canonical Numbers". */
function floatOf(seconds: number): string {
  return Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)
}

function labels(named: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${Object.entries(named)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`
}
