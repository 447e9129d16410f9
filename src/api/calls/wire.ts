import type { ActFilter } from '../../core/access/act.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-fields.ts'
import { query, type ReadOf } from '../../http/query.ts'
import {
  type CallFilter,
  type Counted,
  type HostCount,
  type RecordPage,
  USAGE_KEYS,
  type UsageKey,
} from '../../core/call/records.ts'
import { into, oneOf, optional, parsed, string, text, wrong } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import { DAY_MS, HOUR_MS, time } from '../../core/tool/time.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'

/** For so long records can be read, and so long is the time that is meant where a query does not say. */
const KEPT_MS = 31 * DAY_MS
const MAX_LIMIT = 1_000

const TOOL = text("a tool such as 'Gmail.Send', 'Gmail.Send@1.0.0' or 'Gmail.*'", (asked) => {
  const [pattern = '', ...versions] = asked.split('@')
  return isToolPattern(pattern) && versions.length <= 1 && !(pattern === '*' && versions.length > 0)
})
const LIMIT = parsed(`an integer from 1 to ${MAX_LIMIT}`, (value) => {
  const count = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : 0
  return count >= 1 && count <= MAX_LIMIT ? count : undefined
})
const BY = into(string({ least: 1, most: 200 }), (list, report): readonly UsageKey[] | ReturnType<typeof wrong> => {
  const asked = [...new Set(list.split(','))]
  const known = asked.flatMap((name) => USAGE_KEYS.filter((key) => key === name))
  if (known.length === asked.length) return known
  return wrong(report, `Must be one or several of ${USAGE_KEYS.join(', ')}, separated by commas`)
})

/** What calls and acts alike are asked for by. */
const SHARED = {
  since: optional(time),
  until: optional(time),
  principal: optional(identifier),
  user_id: optional(identifier),
  outcome: optional(text("'success', 'failure' or the type of a failure", /^[a-z][a-z-]{0,63}$/)),
}
const PAGE = { limit: optional(LIMIT, 100), cursor: optional(string({ least: 1, most: 1_000 })) }
const CALLS = {
  ...SHARED,
  tool: optional(TOOL),
  dialect: optional(oneOf(['oxp', 'open-tool-calling', 'machine-context', 'plugin', 'mcp'])),
}
export const callsQuery = query({ ...CALLS, ...PAGE })
export const auditQuery = query({
  ...SHARED,
  act: optional(text("an act such as 'key.create', or 'refusal'", /^[a-z]+(?:\.[a-z]+)?$/)),
  ...PAGE,
})
export const usageQuery = query({ ...CALLS, by: optional(BY, ['tool']) })

/** A page of records that is asked for. */
interface Asked<Filter> {
  readonly filter: Filter
  readonly limit: number
  readonly cursor: string | undefined
}

/** What a caller asks `GET /calls` for: whoever may not read all sees their own. */
export function decodeCallsQuery(
  { limit, cursor, ...filter }: ReadOf<typeof callsQuery>,
  principal: Principal,
  now: number,
): Checked<Asked<CallFilter>> {
  const times = timesOf(filter, now, KEPT_MS)
  if (!times.ok) return times
  return { ok: true, value: { filter: { ...filter, ...times.value, ...ownOf(principal) }, limit, cursor } }
}

/** What an auditor asks `GET /audit` for. */
export function decodeAuditQuery(
  { limit, cursor, ...filter }: ReadOf<typeof auditQuery>,
  now: number,
): Checked<Asked<ActFilter>> {
  const times = timesOf(filter, now, KEPT_MS)
  return times.ok ? { ok: true, value: { filter: { ...filter, ...times.value }, limit, cursor } } : times
}

/** What a caller asks `GET /usage` for: of the last day, where they do not say. */
export function decodeUsageQuery(
  { by, ...filter }: ReadOf<typeof usageQuery>,
  principal: Principal,
  now: number,
): Checked<{ readonly filter: CallFilter; readonly by: readonly UsageKey[] }> {
  const times = timesOf(filter, now, DAY_MS)
  return times.ok ? { ok: true, value: { filter: { ...filter, ...times.value, ...ownOf(principal) }, by } } : times
}

interface Times {
  readonly since: number
  readonly until: number
}

/** The time that a query means; so long until now, where it does not say. */
function timesOf({ since, until }: Partial<Times>, now: number, usual: number): Checked<Times> {
  const last = until ?? now + HOUR_MS
  const first = since ?? last - usual
  if (first >= last) return { ok: false, problems: [{ path: '/since', message: "Must be before 'until'" }] }
  // What is older is gone, and what is yet to come is nobody's
  return { ok: true, value: { since: Math.max(first, now - KEPT_MS), until: Math.min(last, now + HOUR_MS) } }
}

/** Whose calls a principal may see, where it may not see all: those it made, and for a person those made in their name. */
function ownOf(principal: Principal): Pick<CallFilter, 'own'> {
  if (hasScope(principal, 'records:read')) return {}
  const { id, kind, users } = principal
  const [user] = kind === 'person' && users !== 'any' ? users : []
  return { own: { principal: id, ...(user === undefined ? {} : { user }) } }
}

/** A page of calls or acts, as `GET /calls` and `GET /audit` show it. */
export function encodePage({ items, nextCursor }: RecordPage<{ readonly at: number }>) {
  const shown = items.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest }))
  return { items: shown, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) }
}

/** The content type of a text of `encodeMetrics`. */
export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** What was counted, as OpenMetrics 1.0 writes it. */
export function encodeMetrics({ since, calls, durations, hosts, lost }: Counted, version: string): string {
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
  lines.push(...hostMetrics(hosts, created), '# TYPE switchboard_records_lost counter')
  lines.push('# HELP switchboard_records_lost Calls today that could not be recorded.')
  lines.push(`switchboard_records_lost_total ${lost}`, `switchboard_records_lost_created ${created}`, '# EOF', '')
  return lines.join('\n')
}

/** What is known of hosts: how each is, as a state set (OpenMetrics 1.0, "StateSet"), and what was not sent to it. */
function hostMetrics(hosts: readonly HostCount[], created: number): string[] {
  const circuit = 'switchboard_host_circuit'
  const states = hosts.flatMap(({ toolkit, host, state }) =>
    (state === undefined ? [] : STATES).map(
      (each) => `${circuit}${labels({ toolkit, host, [circuit]: each })} ${each === state ? 1 : 0}`,
    ),
  )
  const counter = (family: string, count: number, names: Readonly<Record<string, string>>) => [
    `${family}_total${labels(names)} ${count}`,
    `${family}_created${labels(names)} ${created}`,
  ]
  const openings = 'switchboard_host_circuit_openings'
  const refusals = 'switchboard_host_refusals'
  return [
    `# TYPE ${circuit} stateset`,
    `# HELP ${circuit} Whether requests are sent to a host, as the isolate told that told last today (UTC).`,
    ...states,
    `# TYPE ${openings} counter`,
    `# HELP ${openings} How often today (UTC) an isolate found that a host does not answer.`,
    ...hosts.flatMap(({ toolkit, host, opened }) => counter(openings, opened, { toolkit, host })),
    `# TYPE ${refusals} counter`,
    `# HELP ${refusals} Requests that were not sent today (UTC): the host does not answer, or too many waited for it.`,
    ...hosts.flatMap(({ toolkit, host, ...counts }) =>
      (['failing', 'busy'] as const).flatMap((reason) => counter(refusals, counts[reason], { toolkit, host, reason })),
    ),
  ]
}

const STATES = ['closed', 'open', 'half-open'] as const

/** OpenMetrics 1.0, "Considerations: Canonical Numbers": a bound is written as a float. */
function floatOf(seconds: number): string {
  return Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)
}

function labels(named: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${Object.entries(named)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`
}
