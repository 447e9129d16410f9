import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { WAITING_OUTCOMES } from '../../core/call/call-record.ts'
import { OUTCOME_STATUS, UNCALLED_STATUS } from '../../http/response/failure-status.ts'
import type { PageResult, PageContext, Reply } from '../page-context.ts'
import { FailureNotice, Notice, OutcomeWord, formatCode, Select, TextField, Time, ToolNameLabel } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { toCallBars, toUsageBars, CallsChart, formatMs } from './chart.tsx'
import { buildCallHref } from './call.tsx'
import { createCallerFormatter, formatCaller } from './callers.ts'
import { type Range, RangeSelect, parseRange, formatStart } from './range.tsx'

type CallsPage = ApiAnswers['GET /calls']
type ListedCall = CallsPage['items'][number]
type Filters = Readonly<Record<string, string>>

const PAGE_SIZE = '20'
/** The maximum of one response. An hour with more calls has no chart. */
const MAX_CHARTED_CALLS = '1000'

export async function show(context: PageContext): Promise<PageResult> {
  const { cursor, ...filters } = readFilters(context, ['tool', 'outcome', 'principal', 'user_id', 'range', 'cursor'])
  const { range: name, ...callFilters } = filters
  const range = parseRange(name)
  const query = { ...callFilters, since: formatStart(range) }
  const maySeeAll = hasScope(context.principal, 'records:read')
  const [chart, calls, callers] = await Promise.all([
    loadChart(context, range, query),
    context.fetchRoute('GET /calls', { query: buildQuery({ ...query, cursor, limit: PAGE_SIZE }) }),
    maySeeAll
      ? context.fetchRoute('GET /usage', { query: buildQuery({ since: query.since, by: 'principal' }) })
      : undefined,
  ])
  return {
    title: 'Calls',
    content: (
      <>
        <form class="row" method="get">
          <RangeSelect range={range} />
          <TextField label="Tool" note="such as Gmail.*" name="tool" value={filters.tool} />
          <Select label="Outcome" name="outcome" options={OUTCOME_OPTIONS} value={filters.outcome} />
          {maySeeAll && (
            <Select
              label="Caller"
              name="principal"
              options={[ANY_OPTION, ...listCallers(callers, calls)]}
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

/** Callers to offer as options, those with the most calls first. */
const MAX_CALLER_OPTIONS = 50

function listCallers(usage: Reply<ApiAnswers['GET /usage']> | undefined, calls: Reply<CallsPage>) {
  if (!usage?.ok) return []
  const formatPrincipal = createCallerFormatter(calls.ok ? calls.value.items : [])
  return usage.value.items.slice(0, MAX_CALLER_OPTIONS).map(({ group: { principal = '' } }) => {
    return { value: principal, text: formatPrincipal(principal) }
  })
}

const ANY_OPTION = { value: '', text: 'Any' }
const OUTCOMES = new Set([
  'success',
  ...WAITING_OUTCOMES,
  ...Object.keys({ ...OUTCOME_STATUS, ...UNCALLED_STATUS }),
  'forbidden',
  'rate-limited',
  'conflict',
  'unavailable',
  'internal',
])
const OUTCOME_OPTIONS = [
  ANY_OPTION,
  { value: 'failure', text: 'Any failure' },
  { value: 'waiting', text: 'Waits for a person' },
  ...[...OUTCOMES].map((outcome) => ({ value: outcome, text: formatCode(outcome) })),
]

/** Loads a chart. Usage is counted by whole hours, so the chart of one hour is built from its calls. */
async function loadChart(context: PageContext, range: Range, query: Filters) {
  if (range.by !== undefined) {
    const usage = await context.fetchRoute('GET /usage', { query: buildQuery({ ...query, by: range.by }) })
    if (!usage.ok) return <FailureNotice failure={usage.failure} />
    return <CallsChart bars={toUsageBars(usage.value.items, range)} range={range} />
  }
  const calls = await context.fetchRoute('GET /calls', { query: buildQuery({ ...query, limit: MAX_CHARTED_CALLS }) })
  if (!calls.ok) return <FailureNotice failure={calls.failure} />
  if (calls.value.next_cursor !== undefined)
    return <p class="note">More than 1,000 calls: choose 24 hours, or a tool.</p>
  return <CallsChart bars={toCallBars(calls.value.items, range)} range={range} />
}

const COLUMNS: readonly Column<ListedCall>[] = [
  {
    title: 'Time',
    cell: (call) => (
      <a class="whole" href={buildCallHref(call)}>
        <Time at={call.at} format="ago" />
      </a>
    ),
  },
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
  { title: 'Duration', isNumber: true, cell: ({ duration_ms }) => formatMs(duration_ms) },
  { title: 'Dialect', cell: ({ dialect }) => dialect },
  { title: 'Caller', cell: formatCaller },
  { title: 'User', cell: ({ user_id }) => user_id },
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
  const nextPage = query ? { href: `/console/calls?${query}`, label: 'Earlier calls' } : undefined
  return <Table label="Calls" columns={COLUMNS} items={items} nextPage={nextPage} />
}
