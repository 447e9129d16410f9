import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { CallsChart, formatMs, formatRate, toUsageBars } from '../calls/chart.tsx'
import { createCallerFormatter } from '../calls/callers.ts'
import { USAGE_RANGES, RangeSelect, parseRange, formatStart } from '../calls/range.tsx'
import { toReplyView, formatCode, Select } from '../parts.tsx'
import { paginate } from '../pagination.ts'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import type { PageContext, View } from '../page-context.ts'

type Usage = ApiAnswers['GET /usage']['items'][number]

const GROUP_OPTIONS = [
  { value: 'toolkit', text: 'Toolkit' },
  { value: 'tool', text: 'Tool' },
  { value: 'principal', text: 'Caller' },
  { value: 'user_id', text: 'User' },
  { value: 'outcome', text: 'Outcome' },
  { value: 'day', text: 'Day' },
] as const
/** Rows per page. */
const PAGE_SIZE = 100
/** Calls to read for the names of callers. */
const MAX_NAMED_CALLS = '1000'

export async function show(context: PageContext): Promise<View> {
  const { by: groupBy, range: name } = readFilters(context, ['by', 'range'])
  const range = parseRange(name, 'week', USAGE_RANGES)
  const grouping = GROUP_OPTIONS.find(({ value }) => value === groupBy) ?? GROUP_OPTIONS[0]
  const by = grouping.value
  const since = formatStart(range)
  const [usage, byTime, calls] = await Promise.all([
    context.fetchRoute('GET /usage', { query: buildQuery({ since, by }) }),
    context.fetchRoute('GET /usage', { query: buildQuery({ since, by: range.by }) }),
    by === 'principal'
      ? context.fetchRoute('GET /calls', { query: buildQuery({ since, limit: MAX_NAMED_CALLS }) })
      : undefined,
  ])
  const formatKey = by === 'outcome' ? formatCode : calls?.ok ? createCallerFormatter(calls.value.items) : String
  const nameCell = ({ group }: Usage) => {
    const value = group[by] ?? ''
    if (value === '') return by === 'user_id' ? 'none' : 'unknown or not allowed'
    if (by === 'day') return value
    const filter = by === 'toolkit' ? { tool: `${value}.*` } : { [by]: value }
    return <a href={`/console/calls?${buildQuery({ ...filter, range: range.name })}`}>{formatKey(value)}</a>
  }
  return {
    title: 'Usage',
    content: (
      <>
        <form class="row" method="get">
          <RangeSelect range={range} names={USAGE_RANGES} />
          <Select label="Group by" name="by" options={GROUP_OPTIONS} value={by} />
          <button class="go">Show</button>
        </form>
        {hasScope(context.principal, 'records:read') ? undefined : (
          <p class="note">Calls made by you or on your behalf.</p>
        )}
        {byTime.ok && <CallsChart bars={toUsageBars(byTime.value.items, range)} range={range} />}
        {toReplyView(usage, ({ items }) => (
          <Table
            label="Usage"
            columns={[{ title: grouping.text, isName: true, isLong: true, cell: nameCell }, ...METRICS]}
            {...paginate(context, by === 'day' ? items.toSorted(compareDays) : items, PAGE_SIZE)}
            emptyMessage="No calls in this time range, or none that you can see."
          />
        ))}
      </>
    ),
  }
}

const compareDays = (one: Usage, other: Usage) => (one.group.day ?? '').localeCompare(other.group.day ?? '')

const METRICS: readonly Column<Usage>[] = [
  { title: 'Calls', isNumber: true, cell: ({ calls }) => calls.toLocaleString('en') },
  { title: 'Waiting', isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
  { title: 'Failed', isNumber: true, cell: ({ failures }) => failures.toLocaleString('en') },
  { title: 'Error rate', isNumber: true, cell: ({ failures, calls }) => formatRate(failures, calls) },
  { title: 'p50', isNumber: true, cell: ({ p50_ms }) => formatMs(p50_ms) },
  { title: 'p95', isNumber: true, cell: ({ p95_ms }) => formatMs(p95_ms) },
  { title: 'p99', isNumber: true, cell: ({ p99_ms }) => formatMs(p99_ms) },
]
