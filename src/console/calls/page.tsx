import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { FailureType } from '../../core/failure/failure.ts'
import type { PageResult, PageContext, Reply } from '../visit.ts'
import { FailureNotice, Notice, OutcomeWord, formatTimeAgo, Select, TextField, Time, ToolNameLabel } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { barsOfCalls, barsOfUsage, CallsChart, formatMs } from './chart.tsx'
import { callerNames, formatCaller } from './callers.ts'
import { type Range, RangeSelect, parseRange, formatStart } from './range.tsx'

type CallsPage = ApiAnswers['GET /calls']
type ListedCall = CallsPage['items'][number]
type Filters = Readonly<Record<string, string>>

const LIMIT = '30'
/** In one answer: the chart of an hour with more is left out. */
const CHARTED = '1000'

export async function show(visit: PageContext): Promise<PageResult> {
  const { cursor, ...filters } = readFilters(visit, ['tool', 'outcome', 'principal', 'user_id', 'range', 'cursor'])
  const { range: name, ...matching } = filters
  const range = parseRange(name)
  const query = { ...matching, since: formatStart(range) }
  const seesAll = hasScope(visit.principal, 'records:read')
  const [chart, calls, callers] = await Promise.all([
    loadChart(visit, range, query),
    visit.fetchRoute('GET /calls', { query: buildQuery({ ...query, cursor, limit: LIMIT }) }),
    seesAll
      ? visit.fetchRoute('GET /usage', { query: buildQuery({ since: query.since, by: 'principal' }) })
      : undefined,
  ])
  return {
    title: 'Calls',
    content: (
      <>
        <form class="row" method="get">
          <RangeSelect range={range} />
          <TextField label="Tool" note="such as Gmail.*" name="tool" value={filters.tool} />
          <Select label="Outcome" name="outcome" options={OUTCOMES} value={filters.outcome} />
          {seesAll && (
            <Select
              label="Caller"
              name="principal"
              options={[ANY, ...listCallers(callers, calls)]}
              value={filters.principal}
            />
          )}
          <TextField label="User" name="user_id" value={filters.user_id} />
          <button class="go">Show</button>
        </form>
        {chart}
        {calls.ok ? <CallTable {...calls.value} filters={filters} /> : <FailureNotice failure={calls.failure} />}
      </>
    ),
  }
}

/** In options: those who call most are the first. */
const MOST_CALLERS = 100

function listCallers(usage: Reply<ApiAnswers['GET /usage']> | undefined, calls: Reply<CallsPage>) {
  if (!usage?.ok) return []
  const formatCaller = callerNames(calls.ok ? calls.value.items : [])
  return usage.value.items.slice(0, MOST_CALLERS).map(({ group: { principal = '' } }) => {
    return { value: principal, text: formatCaller(principal) }
  })
}

const ANY = { value: '', text: 'Any' }
const FAILURES: readonly FailureType[] = [
  'tool-failed',
  'tool-timed-out',
  'input-invalid',
  'output-invalid',
  'output-too-large',
  'requirements-missing',
  'approval-required',
  'forbidden',
  'rate-limited',
  'conflict',
  'tool-unknown',
  'version-unavailable',
  'tool-disabled',
  'tool-not-executable',
  'tool-untrusted',
  'cancelled',
  'unavailable',
  'internal',
]
const OUTCOMES = [
  ANY,
  { value: 'failure', text: 'Any failure' },
  ...['success', ...FAILURES].map((type) => ({ value: type, text: formatTimeAgo(type) })),
]

/** Usage is counted by the hour, so that an hour is charted by its calls. */
async function loadChart(visit: PageContext, range: Range, query: Filters) {
  if (range.by !== undefined) {
    const usage = await visit.fetchRoute('GET /usage', { query: buildQuery({ ...query, by: range.by }) })
    if (!usage.ok) return <FailureNotice failure={usage.failure} />
    return <CallsChart bars={barsOfUsage(usage.value.items, range)} range={range} />
  }
  const calls = await visit.fetchRoute('GET /calls', { query: buildQuery({ ...query, limit: CHARTED }) })
  if (!calls.ok) return <FailureNotice failure={calls.failure} />
  if (calls.value.next_cursor !== undefined)
    return <p class="note">More than 1,000 calls: choose 24 hours, or a tool.</p>
  return <CallsChart bars={barsOfCalls(calls.value.items, range)} range={range} />
}

const COLUMNS: readonly Column<ListedCall>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} isExact /> },
  {
    title: 'Tool',
    isName: true,
    isLong: true,
    cell: ({ tool }) => (
      <a href={`/console/tools/${encodeURIComponent(tool)}`}>
        <ToolNameLabel name={tool} />
      </a>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => <OutcomeWord outcome={outcome} /> },
  { title: 'Duration', cell: ({ duration_ms }) => formatMs(duration_ms) },
  { title: 'Dialect', cell: ({ dialect }) => dialect },
  { title: 'Caller', cell: formatCaller },
  { title: 'User', cell: ({ user_id }) => user_id },
  { title: 'Details', isAction: true, cell: (call) => <CallDetails {...call} /> },
]

function CallTable({ items, next_cursor, filters }: CallsPage & { filters: Filters }) {
  if (items.length === 0) {
    return (
      <Notice>
        <p>No calls match in this time range, or none that you can see. Calls appear here after about a second.</p>
        <p>
          <a href="/">Find a tool to call</a>, or see <a href="/docs/calls">how tools are called</a>.
        </p>
      </Notice>
    )
  }
  const query = next_cursor && buildQuery({ ...filters, cursor: next_cursor })
  const more = query ? { href: `/console/calls?${query}`, label: 'Earlier calls' } : undefined
  return (
    <>
      <Table label="Calls" columns={COLUMNS} items={items} more={more} />
      <p class="note">
        The digest is of the tool's definition. Why a call failed is told to its caller alone. <code>for_operator</code>{' '}
        in its <a href="/docs/operate#logs-and-traces">log</a> line says what must be set up (npm run dev: in its
        terminal).
      </p>
    </>
  )
}

function CallDetails({ call_id, tool, trace_id, digest, upstream_status, arguments: input }: ListedCall) {
  const known = [
    ['Call ID', call_id],
    ['Trace ID', trace_id],
    ['Digest', digest],
    ['Upstream status', upstream_status],
    ['Arguments', input === undefined ? undefined : JSON.stringify(input)],
  ] as const
  return (
    <details>
      <summary aria-label={`Details of the call of ${tool}, ${call_id}`}>Details</summary>
      {known.map(([name, value]) =>
        value === undefined ? undefined : (
          <p>
            <span class="note">{name}</span> <code>{String(value)}</code>
          </p>
        ),
      )}
    </details>
  )
}
