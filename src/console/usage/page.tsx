import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { formatCount, formatMs } from '../calls/chart.tsx'
import { callerNames } from '../calls/callers.ts'
import { COUNTED, RangeSelect, parseRange, formatStart } from '../calls/range.tsx'
import { toReplyView, formatTimeAgo, Select } from '../parts.tsx'
import { paginate } from '../portion.ts'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import type { PageContext, View } from '../visit.ts'

type Usage = ApiAnswers['GET /usage']['items'][number]

const KEYS = [
  { value: 'toolkit', text: 'Toolkit' },
  { value: 'tool', text: 'Tool' },
  { value: 'principal', text: 'Caller' },
  { value: 'user_id', text: 'User' },
  { value: 'outcome', text: 'Outcome' },
  { value: 'day', text: 'Day' },
] as const
/** In rows, of a page. */
const MOST = 100
/** Calls that names of callers are taken from. */
const NAMED = '1000'

export async function show(visit: PageContext): Promise<View> {
  const { by: asked, range: name } = readFilters(visit, ['by', 'range'])
  const range = parseRange(name, 'week', COUNTED)
  const key = KEYS.find(({ value }) => value === asked) ?? KEYS[0]
  const since = formatStart(range)
  const [usage, calls] = await Promise.all([
    visit.fetchRoute('GET /usage', { query: buildQuery({ since, by: key.value }) }),
    key.value === 'principal'
      ? visit.fetchRoute('GET /calls', { query: buildQuery({ since, limit: NAMED }) })
      : undefined,
  ])
  return {
    title: 'Usage',
    content: (
      <>
        <form class="row" method="get">
          <RangeSelect range={range} names={COUNTED} />
          <Select label="Group by" name="by" options={KEYS} value={key.value} />
          <button class="go">Show</button>
        </form>
        {hasScope(visit.principal, 'records:read') ? undefined : (
          <p class="note">Calls made by you or on your behalf.</p>
        )}
        {toReplyView(usage, ({ items }) => {
          const formatCaller =
            key.value === 'outcome' ? formatTimeAgo : calls?.ok ? callerNames(calls.value.items) : String
          return <UsageTable items={items} visit={visit} by={key} formatCaller={formatCaller} range={range.name} />
        })}
      </>
    ),
  }
}

interface UsageTableProps {
  readonly items: readonly Usage[]
  readonly visit: PageContext
  readonly by: (typeof KEYS)[number]
  readonly formatCaller: (value: string) => string
  readonly range: string
}

function UsageTable({ items, visit, by, formatCaller, range }: UsageTableProps) {
  const calls = items.reduce((sum, usage) => sum + usage.calls, 0)
  const failures = items.reduce((sum, usage) => sum + usage.failures, 0)
  const ordered =
    by.value === 'day' ? items.toSorted((one, other) => formatDay(one).localeCompare(formatDay(other))) : items
  const nameCell = ({ group }: Usage) => {
    const value = group[by.value] ?? ''
    if (by.value === 'day' || value === '') return value || (by.value === 'toolkit' ? 'unknown tools' : 'none')
    const filter = by.value === 'toolkit' ? { tool: `${value}.*` } : { [by.value]: value }
    return <a href={`/console/calls?${buildQuery({ ...filter, range })}`}>{formatCaller(value)}</a>
  }
  const columns: readonly Column<Usage>[] = [{ title: by.text, isName: true, isLong: true, cell: nameCell }, ...FIGURES]
  return (
    <>
      {items.length === 0 ? undefined : (
        <p>
          {formatCount(calls, 'call')}, {failures.toLocaleString('en')} failed ({formatRate(failures, calls)})
        </p>
      )}
      <Table
        label="Usage"
        columns={columns}
        {...paginate(visit, ordered, MOST)}
        none="No calls in this time range, or none that you can see."
      />
    </>
  )
}

function formatDay({ group }: Usage): string {
  return group.day ?? ''
}

const FIGURES: readonly Column<Usage>[] = [
  { title: 'Calls', cell: ({ calls }) => calls.toLocaleString('en') },
  { title: 'Failed', cell: ({ failures }) => failures.toLocaleString('en') },
  { title: 'Error rate', cell: ({ failures, calls }) => formatRate(failures, calls) },
  { title: 'p50', cell: ({ p50_ms }) => formatMs(p50_ms) },
  { title: 'p95', cell: ({ p95_ms }) => formatMs(p95_ms) },
  { title: 'p99', cell: ({ p99_ms }) => formatMs(p99_ms) },
]

function formatRate(failures: number, calls: number): string {
  return `${((100 * failures) / calls).toFixed(1)} %`
}
