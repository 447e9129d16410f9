import type { ApiKey } from '../../core/access/api-key.ts'
import type { CallLimits } from '../../core/access/limits.ts'
import { filledWith, staleness } from '../filled.tsx'
import type { Leads, View, Visit } from '../page.ts'
import { Copyable, exact, Notice, Refused, Time } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'
import { type Column, Table } from '../table.tsx'
import { KeyForm, keyChangeOf, newKeyOf, writtenIn, writtenOf } from './form.tsx'

/** As `GET /keys` lists a key. */
interface Key extends ApiKey {
  readonly last_used_at?: string
}

/** What a form came to, as the page says it. */
interface Said {
  readonly failure?: SaidFailure
  /** A key that is there now, with its text, which nothing shows again. */
  readonly fresh?: { readonly name: string; readonly key: string; readonly previous_expires_at?: string }
  readonly form?: URLSearchParams
  /** The key that the form is filled with, whatever the address says. */
  readonly id?: string
}

const DAY_S = 86_400
/** For so long the text of before works on, in words. */
const OVERLAPS = new Map([
  [String(DAY_S), 'a day'],
  ['3600', 'an hour'],
  ['0', 'not at all'],
])

const DONE = new Map([
  ['revoked', 'The key is revoked. Elsewhere it is dead within a minute.'],
  ['changed', 'The key is changed: here at once, and everywhere within a minute.'],
])

/** The API keys of the deployment. */
export async function show(visit: Visit): Promise<View | Leads> {
  return keysView(visit, {})
}

/** Makes a key, changes one, gives one another text, or revokes one. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const path = `/keys/${encodeURIComponent(form.get('id') ?? '')}`
  switch (form.get('do')) {
    case 'make': {
      const made = await visit.ask<{ name: string; key: string }>('POST', '/keys', newKeyOf(form))
      return keysView(visit, made.ok ? { fresh: made.value } : { failure: failureOf(made), form })
    }
    case 'change': {
      const before = await visit.ask<ApiKey>('GET', path)
      if (!before.ok) return keysView(visit, { failure: failureOf(before), form })
      const stale = staleness(form, before.value.id, writtenOf(before.value))
      if (stale) return keysView(visit, { failure: stale, id: before.value.id })
      const changed = await visit.ask('PATCH', path, keyChangeOf(form, before.value))
      if (!changed.ok) return keysView(visit, { failure: failureOf(changed), form })
      return { leadsTo: '/console/keys?done=changed' }
    }
    case 'rotate': {
      const overlap_seconds = Number(form.get('overlap') ?? DAY_S)
      const made = await visit.ask<{ name: string; key: string }>('POST', `${path}/rotate`, { overlap_seconds })
      return keysView(visit, made.ok ? { fresh: made.value } : { failure: failureOf(made) })
    }
    case 'revoke': {
      const gone = await visit.ask('DELETE', path)
      return gone.ok ? { leadsTo: '/console/keys?done=revoked' } : keysView(visit, { failure: failureOf(gone) })
    }
    default:
      return { leadsTo: '/console/keys' }
  }
}

async function keysView(visit: Visit, { failure, fresh, form, id: said }: Said): Promise<View> {
  const list = await visit.ask<{ items: readonly Key[] }>('GET', '/keys')
  const id = form?.get('do') === 'change' ? form.get('id') : (said ?? visit.url.searchParams.get('id'))
  const chosen = list.value.items?.find((each) => each.id === id)
  const done = DONE.get(visit.url.searchParams.get('done') ?? '')
  return {
    title: 'Keys',
    status: failure?.status ?? 200,
    content: (
      <>
        {done === undefined || failure ? undefined : (
          <Notice>
            <p>{done}</p>
          </Notice>
        )}
        {failure === undefined ? undefined : <Refused failure={failure} />}
        {fresh === undefined ? undefined : <Fresh {...fresh} />}
        {list.ok ? <KeyList keys={list.value.items} /> : <Refused failure={failureOf(list)} />}
        <section aria-labelledby="make">
          <h2 id="make">{chosen === undefined ? 'Make a key' : `Change the key “${chosen.name}”`}</h2>
          <KeyForm
            {...(form ? writtenIn(form) : writtenOf(chosen))}
            filled={chosen && filledWith(chosen.id, writtenOf(chosen), form)}
          />
        </section>
      </>
    ),
  }
}

function Fresh({ name, key, previous_expires_at }: NonNullable<Said['fresh']>) {
  return (
    <Notice>
      <p>
        <strong>The key “{name}”. Copy it now: it is not shown again.</strong>
      </p>
      <Copyable text={key} />
      {previous_expires_at === undefined ? undefined : (
        <p>
          What it was before works until <Time at={previous_expires_at} />.
        </p>
      )}
    </Notice>
  )
}

function KeyList({ keys }: { keys: readonly Key[] }) {
  if (keys.length === 0) return <Notice>There is no key yet. Each agent and each publisher gets one of its own.</Notice>
  return <Table label="Keys" columns={COLUMNS} items={keys} />
}

const COLUMNS: readonly Column<Key>[] = [
  { title: 'Name', isName: true, cell: ({ name }) => name },
  { title: 'May', cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Tools', isLong: true, cell: ({ tools }) => tools.join(', ') || 'none' },
  { title: 'For users', isLong: true, cell: ({ users }) => (users === 'any' ? 'any' : users.join(', ') || 'none') },
  { title: 'At most', cell: ({ limits }) => <Limits {...limits} /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Change', isAct: true, cell: (key) => <KeyChange {...key} /> },
]

function Limits({ rate, concurrency }: CallLimits) {
  const words = [
    ...(rate ? [`${rate.calls} calls in ${rate.seconds} s`] : []),
    ...(concurrency === undefined ? [] : [`${concurrency} at a time`]),
  ]
  return <>{words.join(', ')}</>
}

function KeyChange({ id, name }: Key) {
  return (
    <>
      <a href={`/console/keys?${new URLSearchParams({ id })}#make`} aria-label={`Change the key ${name}`}>
        Change
      </a>
      <details>
        <summary aria-label={`Rotate or revoke ${name}`}>Rotate or revoke</summary>
        <form method="post" action="/console/keys">
          <input type="hidden" name="id" value={exact(id)} />
          <label>
            What it was works on for
            <select name="overlap">
              {[...OVERLAPS].map(([seconds, words]) => (
                <option value={seconds}>{words}</option>
              ))}
            </select>
          </label>
          <button name="do" value="rotate">
            Rotate
          </button>
          <button class="danger" name="do" value="revoke">
            Revoke for good
          </button>
        </form>
      </details>
    </>
  )
}
