import { hasScope } from '../../core/access/principal.ts'
import type { Usage } from '../../core/call/records.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Outcome, Refused, Time, ToolName } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type Column, Table } from '../table.tsx'
import { UsageChart } from './chart.tsx'

/** As `GET /calls` lists them. */
type Listed = Omit<CallRecord, 'at'> & { readonly at: string }

const FILTERS = ['tool', 'outcome', 'principal', 'cursor'] as const
const LIMIT = 50

/** The calls of late that somebody may see: a chart of a day, and each call. */
export async function show(visit: Visit): Promise<View | Leads> {
  const { searchParams } = visit.url
  const asked = FILTERS.map((name): readonly [string, string] => [name, searchParams.get(name)?.trim() ?? ''])
  const given = new URLSearchParams(asked.filter(([, value]) => value !== '').map(([name, value]) => [name, value]))
  const filter = new URLSearchParams(given)
  filter.delete('cursor')
  const [usage, calls] = await Promise.all([
    visit.ask<{ items: readonly Usage[]; since: string; until: string }>('GET', `/usage?${withBy(filter)}`),
    visit.ask<{ items: readonly Listed[]; next_cursor?: string }>('GET', `/calls?${withLimit(given)}`),
  ])
  return {
    title: 'Calls',
    content: (
      <>
        <form class="row" method="get">
          <label>
            Tool <span class="note">such as Gmail.*</span>
            <input name="tool" value={exact(given.get('tool') ?? '')} />
          </label>
          <label>
            Outcome <span class="note">success, failure or a kind of it</span>
            <input name="outcome" value={exact(given.get('outcome') ?? '')} />
          </label>
          {hasScope(visit.principal, 'records:read') ? (
            <label>
              Who <span class="note">such as admin or key:…</span>
              <input name="principal" value={exact(given.get('principal') ?? '')} />
            </label>
          ) : undefined}
          <button class="go">Show</button>
        </form>
        {usage.ok ? <UsageChart {...usage.value} /> : <Refused failure={failureOf(usage)} />}
        {calls.ok ? <CallTable {...calls.value} filter={filter} /> : <Refused failure={failureOf(calls)} />}
      </>
    ),
  }
}

function withBy(filter: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...filter, ['by', 'hour']])
}

function withLimit(given: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...given, ['limit', String(LIMIT)]])
}

interface CallTableProps {
  readonly items: readonly Listed[]
  readonly next_cursor?: string
  readonly filter: URLSearchParams
}

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} isExact /> },
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
  { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  { title: 'Took', cell: ({ duration_ms }) => `${Math.round(duration_ms).toLocaleString('en')} ms` },
  { title: 'Dialect', cell: ({ dialect }) => dialect },
  { title: 'Who', cell: ({ principal, principal_name }) => principal_name ?? principal },
  { title: 'For', cell: ({ user_id }) => user_id },
  { title: 'More', isAct: true, cell: (call) => <CallDetails {...call} /> },
]

function CallTable({ items, next_cursor, filter }: CallTableProps) {
  if (items.length === 0) {
    return (
      <Notice>
        <p>
          No call was made that is like this, or none that you may see. Calls are here a second after they were made.
        </p>
        <p>
          <a href="/">Find a tool to call</a>, or see <a href="/docs/calls">how tools are called</a>.
        </p>
      </Notice>
    )
  }
  const next = next_cursor === undefined ? undefined : new URLSearchParams([...filter, ['cursor', next_cursor]])
  const more = next && { href: `/console/calls?${next}`, label: 'Earlier calls' }
  return <Table label="Calls" columns={COLUMNS} items={items} more={more} />
}

/** What else is known of a call. */
function CallDetails({ call_id, tool, trace_id, digest, upstream_status, arguments: given }: Listed) {
  const known = [
    ['Call', call_id],
    ['Trace', trace_id],
    ['Digest', digest],
    ['The server behind it answered', upstream_status],
    ['Arguments', given === undefined ? undefined : JSON.stringify(given)],
  ] as const
  return (
    <details>
      <summary aria-label={`More of the call of ${tool}, ${call_id}`}>More</summary>
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
