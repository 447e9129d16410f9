import { AUDIT_ACTIONS } from '../../core/access/audit-entry.ts'
import type { Json } from '../../core/tool/json.ts'
import { truncate } from '../../http/page/text.ts'
import { HTTP_STATUS } from '../../http/response/failure-status.ts'
import { formatStart, parseRange, RangeSelect } from '../calls/range.tsx'
import type { PageResult, PageContext } from '../page-context.ts'
import { formatCode, OutcomeWord, Select, TextField, Time, toReplyView } from '../parts.tsx'
import { readFilters, buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { type AuditEntry, type AuditGroup, formatEvent, groupEntries } from './event.ts'

const PAGE_SIZE = '50'
const MAX_VALUE_CHARACTERS = 500
const MAX_RECORDS = 3

const ANY_OPTION = { value: '', text: 'Any' }
const ACTION_OPTIONS = [
  ANY_OPTION,
  ...AUDIT_ACTIONS.map((act) => ({ value: act, text: formatCode(act.replace('.', ': ')) })),
]
const OUTCOMES = ['success', 'refused', ...Object.keys(HTTP_STATUS)]
const OUTCOME_OPTIONS = [
  ANY_OPTION,
  { value: 'failure', text: 'Any failure' },
  ...OUTCOMES.map((outcome) => ({ value: outcome, text: formatCode(outcome) })),
]

export async function show(context: PageContext): Promise<PageResult> {
  const names = ['range', 'until', 'act', 'outcome', 'principal', 'cursor'] as const
  const { cursor, ...filters } = readFilters(context, names)
  const { range: rangeName, until, ...recordFilters } = filters
  const range = parseRange(rangeName, 'month')
  const times = { since: formatStart(range), until: until && `${until}T23:59:59.999Z` }
  const query = buildQuery({ ...times, ...recordFilters, cursor, limit: PAGE_SIZE })
  const reply = await context.fetchRoute('GET /audit', { query })
  return {
    title: 'Audit log',
    content: (
      <>
        <form class="row" method="get">
          <RangeSelect range={range} />
          <TextField label="Up to" note="a day, UTC" name="until" type="date" value={until} />
          <Select label="Action" name="act" options={ACTION_OPTIONS} value={filters.act} />
          <Select label="Outcome" name="outcome" options={OUTCOME_OPTIONS} value={filters.outcome} />
          <TextField label="Caller" note="such as admin" name="principal" value={filters.principal} />
          <button class="go">Show</button>
        </form>
        {toReplyView(reply, ({ items, next_cursor: next }) => (
          <Table
            label="Events"
            columns={COLUMNS}
            items={groupEntries(items)}
            emptyMessage="No events match. Events appear here after about a second."
            nextPage={
              next
                ? { href: `/console/audit?${buildQuery({ ...filters, cursor: next })}`, label: 'Earlier events' }
                : undefined
            }
          />
        ))}
      </>
    ),
  }
}

const COLUMNS: readonly Column<AuditGroup>[] = [
  { title: 'Time', cell: ([{ at }]) => <Time at={at} format="ago" /> },
  {
    title: 'Event',
    isLong: true,
    cell: (group) => {
      const [{ outcome }] = group
      return (
        <details>
          <summary>
            {formatEvent(group)} {outcome === 'success' ? undefined : <OutcomeWord outcome={outcome} />}
          </summary>
          {group.slice(0, MAX_RECORDS).map((entry) => (
            <RawRecord entry={entry} />
          ))}
          {group.length > MAX_RECORDS && <p class="note">And {String(group.length - MAX_RECORDS)} more like these</p>}
        </details>
      )
    },
  },
  { title: 'Address', cell: ([{ address }]) => address },
]

/** Shows the fields of a record as lines. */
function RawRecord({ entry: { about = {}, ...fields } }: { entry: AuditEntry }) {
  const details = Object.entries(about).map(([name, value]) => [`about.${name}`, value] as const)
  const { at, act, ...rest } = fields
  const lines = [...Object.entries<Json | undefined>({ at, act, ...rest }), ...details].flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${truncate(formatValue(value), MAX_VALUE_CHARACTERS)}`],
  )
  return <pre>{lines.join('\n')}</pre>
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
