import { isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext } from '../visit.ts'
import { FailureNotice, OutcomeWord, TextField, Time } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'

type AuditPage = ApiAnswers['GET /audit']

const LIMIT = '50'

export async function show(visit: PageContext): Promise<PageResult> {
  const { cursor, ...filters } = readFilters(visit, ['act', 'principal', 'outcome', 'cursor'])
  const acts = await visit.fetchRoute('GET /audit', { query: buildQuery({ ...filters, cursor, limit: LIMIT }) })
  return {
    title: 'Audit log',
    content: (
      <>
        <form class="row" method="get">
          <TextField label="Action" note="such as key.create, or refusal" name="act" value={filters.act} />
          <TextField label="Caller" note="such as admin or key:…" name="principal" value={filters.principal} />
          <button class="go">Show</button>
        </form>
        {acts.ok ? <Acts {...acts.value} filters={filters} /> : <FailureNotice failure={acts.failure} />}
      </>
    ),
  }
}

const COLUMNS: readonly Column<AuditPage['items'][number]>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} isExact /> },
  { title: 'Action', isName: true, cell: ({ act }) => act },
  { title: 'Outcome', cell: ({ outcome }) => <OutcomeWord outcome={outcome} /> },
  {
    title: 'Caller',
    cell: ({ principal, principal_name, user_id, address }) => (
      <>
        {principal_name ?? principal ?? user_id ?? 'unknown'}
        {address === undefined ? undefined : <span class="note"> at {address}</span>}
      </>
    ),
  },
  {
    title: 'Request',
    isLong: true,
    cell: ({ method, path }) => (
      <code>
        {method} {path}
      </code>
    ),
  },
  { title: 'Details', isLong: true, cell: ({ about }) => (about === undefined ? undefined : <About about={about} />) },
]

function Acts({ items, next_cursor, filters }: AuditPage & { filters: Readonly<Record<string, string>> }) {
  const query = next_cursor && buildQuery({ ...filters, cursor: next_cursor })
  const more = query ? { href: `/console/audit?${query}`, label: 'Earlier actions' } : undefined
  const none = 'No actions match. Actions appear here after about a second.'
  return <Table label="Actions" columns={COLUMNS} items={items} none={none} more={more} />
}

/** In characters: of a longer text half as much is shown until it is opened. */
const LONG = 160

function About({ about }: { about: JsonObject }) {
  return (
    <>
      {Object.entries(about).map(([name, value]) => {
        const text = formatValue(value)
        return text.length <= LONG ? (
          <div>
            <span class="note">{name}</span> {text}
          </div>
        ) : (
          <details>
            <summary>
              <span class="note">{name}</span> {text.slice(0, LONG / 2)}…
            </summary>
            {text}
          </details>
        )
      })}
    </>
  )
}

function formatValue(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return isStringArray(value) && value.length > 0 ? value.join(', ') : JSON.stringify(value)
}
