import type { Usage } from '../../core/call/records.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
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

function CallTable({ items, next_cursor, filter }: CallTableProps) {
  if (items.length === 0)
    return <p>No call was made, or none that you may see. Calls are here a second after they were made.</p>
  return (
    <>
      <div class="scroll" role="region" aria-label="Calls" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">When (UTC)</th>
              <th scope="col">Tool</th>
              <th scope="col">Outcome</th>
              <th scope="col">ms</th>
              <th scope="col">Dialect</th>
              <th scope="col">Who</th>
              <th scope="col">For</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ at, tool, outcome, duration_ms, dialect, principal, principal_name, user_id }) => (
              <tr>
                <td>{at.slice(0, 19).replace('T', ' ')}</td>
                <th scope="row">
                  <a href={`/console/tools/${encodeURIComponent(tool)}`}>{tool}</a>
                </th>
                <td>{outcome}</td>
                <td>{String(Math.round(duration_ms))}</td>
                <td>{dialect}</td>
                <td>{principal_name ?? principal}</td>
                <td>{user_id ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next_cursor === undefined ? undefined : (
        <p>
          <a
            class="button"
            rel="next"
            href={`/console/calls?${new URLSearchParams([...filter, ['cursor', next_cursor]])}`}
          >
            Earlier calls
          </a>
        </p>
      )}
    </>
  )
}
