import type { Act } from '../../core/access/act.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'

/** As `GET /audit` lists them. */
type Listed = Omit<Act, 'at'> & { readonly at: string }

const FILTERS = ['act', 'principal', 'outcome', 'cursor'] as const
const LIMIT = 50

/** What was administered of late, and who was refused. */
export async function show(visit: Visit): Promise<View | Leads> {
  const { searchParams } = visit.url
  const asked = FILTERS.map((name): [string, string] => [name, searchParams.get(name)?.trim() ?? ''])
  const given = new URLSearchParams(asked.filter(([, value]) => value !== ''))
  const query = new URLSearchParams([...given, ['limit', String(LIMIT)]])
  const acts = await visit.ask<{ items: readonly Listed[]; next_cursor?: string }>('GET', `/audit?${query}`)
  given.delete('cursor')
  return {
    title: 'Audit',
    content: (
      <>
        <form class="row" method="get">
          <label>
            Act <span class="note">such as key.create, or refusal</span>
            <input name="act" value={exact(given.get('act') ?? '')} />
          </label>
          <label>
            Who <span class="note">such as admin or key:…</span>
            <input name="principal" value={exact(given.get('principal') ?? '')} />
          </label>
          <button class="go">Show</button>
        </form>
        {acts.ok ? <Acts items={acts.value.items} /> : <Refused failure={failureOf(acts)} />}
        {acts.value.next_cursor === undefined ? undefined : (
          <p>
            <a
              class="button"
              rel="next"
              href={`/console/audit?${new URLSearchParams([...given, ['cursor', acts.value.next_cursor]])}`}
            >
              Earlier acts
            </a>
          </p>
        )}
      </>
    ),
  }
}

function Acts({ items }: { items: readonly Listed[] }) {
  if (items.length === 0) return <p>Nothing was done that is like this. Acts are here a second after they were done.</p>
  return (
    <div class="scroll" role="region" aria-label="Acts" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">Act</th>
            <th scope="col">Outcome</th>
            <th scope="col">Who</th>
            <th scope="col">Request</th>
            <th scope="col">About</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ at, act, outcome, principal, principal_name, user_id, method, path, about, address }) => (
            <tr>
              <td>{at.slice(0, 19).replace('T', ' ')}</td>
              <th scope="row">{act}</th>
              <td>{outcome}</td>
              <td>
                {principal_name ?? principal ?? user_id ?? 'nobody known'}
                {address === undefined ? undefined : <span class="note"> at {address}</span>}
              </td>
              <td>
                <code>
                  {method} {path}
                </code>
              </td>
              <td>{about === undefined ? '' : JSON.stringify(about)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
