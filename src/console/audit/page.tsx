import { isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext } from '../page-context.ts'
import { FailureNotice, OutcomeWord, TextField, Time } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'

type AuditPage = ApiAnswers['GET /audit']

const PAGE_SIZE = '50'

export async function show(context: PageContext): Promise<PageResult> {
  const { cursor, ...filters } = readFilters(context, ['act', 'principal', 'outcome', 'cursor'])
  const query = buildQuery({ ...filters, cursor, limit: PAGE_SIZE })
  const reply = await context.fetchRoute('GET /audit', { query })
  return {
    title: 'Audit log',
    content: (
      <>
        <form class="row" method="get">
          <TextField label="Action" note="such as key.create, or refusal" name="act" value={filters.act} />
          <TextField label="Caller" note="such as admin or key:…" name="principal" value={filters.principal} />
          <button class="go">Show</button>
        </form>
        {reply.ok ? <AuditTable {...reply.value} filters={filters} /> : <FailureNotice failure={reply.failure} />}
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
  { title: 'Details', isLong: true, cell: ({ about }) => about && <Details about={about} /> },
]

function AuditTable({ items, next_cursor, filters }: AuditPage & { filters: Readonly<Record<string, string>> }) {
  const query = next_cursor && buildQuery({ ...filters, cursor: next_cursor })
  const nextPage = query ? { href: `/console/audit?${query}`, label: 'Earlier actions' } : undefined
  const emptyMessage = 'No actions match. Actions appear here after about a second.'
  return <Table label="Actions" columns={COLUMNS} items={items} emptyMessage={emptyMessage} nextPage={nextPage} />
}

/** A longer text is folded, with half as many characters as its summary. */
const MAX_INLINE_CHARACTERS = 160

function Details({ about }: { about: JsonObject }) {
  return (
    <>
      {Object.entries(about).map(([name, value]) => {
        const text = formatValue(value)
        return text.length <= MAX_INLINE_CHARACTERS ? (
          <div>
            <span class="note">{name}</span> {text}
          </div>
        ) : (
          <details>
            <summary>
              <span class="note">{name}</span> {text.slice(0, MAX_INLINE_CHARACTERS / 2)}…
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
