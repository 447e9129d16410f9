import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageVisit } from '../visit.ts'
import { FailureNotice, Notice, OutcomeWord, TextField, Time, ToolName } from '../parts.tsx'
import { filtersOf, queryOf } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { UsageChart } from './chart.tsx'

type CallsPage = ApiAnswers['GET /calls']
type ListedCall = CallsPage['items'][number]

const LIMIT = '50'

export async function show(visit: PageVisit): Promise<PageResult> {
  const { cursor, ...filters } = filtersOf(visit, ['tool', 'outcome', 'principal', 'cursor'])
  const [usage, calls] = await Promise.all([
    visit.ask('GET /usage', { query: queryOf({ ...filters, by: 'hour' }) }),
    visit.ask('GET /calls', { query: queryOf({ ...filters, cursor, limit: LIMIT }) }),
  ])
  return {
    title: 'Calls',
    content: (
      <>
        <form class="row" method="get">
          <TextField label="Tool" note="such as Gmail.*" name="tool" value={filters.tool} />
          <TextField label="Outcome" note="success, failure, or an error type" name="outcome" value={filters.outcome} />
          {hasScope(visit.principal, 'records:read') && (
            <TextField label="Caller" note="such as admin or key:…" name="principal" value={filters.principal} />
          )}
          <button class="go">Show</button>
        </form>
        {usage.ok ? <UsageChart {...usage.value} /> : <FailureNotice failure={usage.failure} />}
        {calls.ok ? <CallTable {...calls.value} filters={filters} /> : <FailureNotice failure={calls.failure} />}
      </>
    ),
  }
}

const COLUMNS: readonly Column<ListedCall>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} isExact /> },
  {
    title: 'Tool',
    isName: true,
    isLong: true,
    cell: ({ tool }) => (
      <a href={`/console/tools/${encodeURIComponent(tool)}`}>
        <ToolName name={tool} />
      </a>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => <OutcomeWord outcome={outcome} /> },
  { title: 'Duration', cell: ({ duration_ms }) => `${Math.round(duration_ms).toLocaleString('en')} ms` },
  { title: 'Dialect', cell: ({ dialect }) => dialect },
  { title: 'Caller', cell: ({ principal, principal_name }) => principal_name ?? principal },
  { title: 'User', cell: ({ user_id }) => user_id },
  { title: 'Details', isAct: true, cell: (call) => <CallDetails {...call} /> },
]

function CallTable({ items, next_cursor, filters }: CallsPage & { filters: Readonly<Record<string, string>> }) {
  if (items.length === 0) {
    return (
      <Notice>
        <p>No calls match, or none that you can see. Calls appear here after about a second.</p>
        <p>
          <a href="/">Find a tool to call</a>, or see <a href="/docs/calls">how tools are called</a>.
        </p>
      </Notice>
    )
  }
  const query = next_cursor && queryOf({ ...filters, cursor: next_cursor })
  const more = query ? { href: `/console/calls?${query}`, label: 'Earlier calls' } : undefined
  return <Table label="Calls" columns={COLUMNS} items={items} more={more} />
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
