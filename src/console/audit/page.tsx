import type { Act } from '../../core/access/act.ts'
import { isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Outcome, Refused, Time } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type Column, Table } from '../table.tsx'

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
        {acts.ok ? <Acts {...acts.value} filter={given} /> : <Refused failure={failureOf(acts)} />}
      </>
    ),
  }
}

interface ActsProps {
  readonly items: readonly Listed[]
  readonly next_cursor?: string
  readonly filter: URLSearchParams
}

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} isExact /> },
  { title: 'Act', isName: true, cell: ({ act }) => act },
  { title: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    title: 'Who',
    cell: ({ principal, principal_name, user_id, address }) => (
      <>
        {principal_name ?? principal ?? user_id ?? 'nobody known'}
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
  { title: 'About', isLong: true, cell: ({ about }) => (about === undefined ? undefined : <About about={about} />) },
]

function Acts({ items, next_cursor, filter }: ActsProps) {
  if (items.length === 0) {
    return <Notice>Nothing was done that is like this. Acts are here a second after they were done.</Notice>
  }
  const next = next_cursor === undefined ? undefined : new URLSearchParams([...filter, ['cursor', next_cursor]])
  const more = next && { href: `/console/audit?${next}`, label: 'Earlier acts' }
  return <Table label="Acts" columns={COLUMNS} items={items} more={more} />
}

/** Of what is longer so much is shown until it is opened. */
const LONG = 160

/** What an act was about, each part by its name. */
function About({ about }: { about: JsonObject }) {
  return (
    <>
      {Object.entries(about).map(([name, value]) => {
        const text = textOf(value)
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

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return isTexts(value) && value.length > 0 ? value.join(', ') : JSON.stringify(value)
}
