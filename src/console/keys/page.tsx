import { type ApiKey, newKey } from '../../core/access/api-key.ts'
import type { CallLimits } from '../../core/access/limits.ts'
import { schemaOf } from '../../core/tool/json-reader.ts'
import { EditForm, editFields, editView, filledWith, staleness, trimmed } from '../form/edit.tsx'
import { changesIn, formOf, readInput } from '../form/values.ts'
import type { Leads, View, Visit } from '../page.ts'
import { Copyable, exact, Notice, Refused, Time } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'
import { type Column, Table } from '../table.tsx'

/** As `GET /keys` lists a key. */
interface Key extends ApiKey {
  readonly last_used_at?: string
}

/** A key that was made or rotated, with its text, which nothing shows again. */
interface Fresh {
  readonly name: string
  readonly key: string
  readonly previous_expires_at?: string
}

/** How a form ended that leads to no other page. */
interface Ended {
  readonly failure?: SaidFailure
  readonly fresh?: Fresh
  /** As it was written. */
  readonly form?: URLSearchParams
  /** The key that the form is filled with. */
  readonly chosen?: string | null
}

const FIELDS = editFields(schemaOf(newKey(() => new Date())))
const FOLDED = { summary: 'Limits, and what is recorded', keys: ['record_arguments', 'limits'] }
/** What most keys are for. */
const USUAL = { scopes: ['tools:read', 'tools:call'] }

const DAY_S = 86_400
/** How long the text of before works on after a rotation, in seconds. */
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
  const form = trimmed(visit.form)
  const path = `/keys/${encodeURIComponent(form.get('filled_of') ?? form.get('id') ?? '')}`
  switch (form.get('do')) {
    case 'make': {
      const made = await visit.ask<Fresh>('POST', '/keys', readInput(FIELDS, form).input)
      return keysView(visit, made.ok ? { fresh: made.value } : { failure: failureOf(made), form })
    }
    case 'change':
      return change(visit, form, path)
    case 'rotate': {
      const overlap_seconds = Number(form.get('overlap') ?? DAY_S)
      const made = await visit.ask<Fresh>('POST', `${path}/rotate`, { overlap_seconds })
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

/** Sends the fields that differ alone, so that nothing else changes, such as a key for no tool to one for all. */
async function change(visit: Visit, form: URLSearchParams, path: string): Promise<View | Leads> {
  const chosen = form.get('filled_of')
  const before = await visit.ask<ApiKey>('GET', path)
  if (!before.ok) return keysView(visit, { failure: failureOf(before), form, chosen })
  const stale = staleness(form, FIELDS, before.value.id, before.value)
  if (stale) return keysView(visit, { failure: stale, chosen })
  const changed = await visit.ask('PATCH', path, changesIn(FIELDS, before.value, readInput(FIELDS, form).input))
  if (!changed.ok) return keysView(visit, { failure: failureOf(changed), form, chosen })
  return { leadsTo: '/console/keys?done=changed' }
}

async function keysView(visit: Visit, { failure, fresh, form, chosen }: Ended): Promise<View> {
  const list = await visit.ask<{ items: readonly Key[] }>('GET', '/keys')
  const wanted = chosen ?? visit.url.searchParams.get('id')
  const key = fresh ? undefined : list.value.items?.find(({ id }) => id === wanted)
  return editView({
    title: 'Keys',
    done: DONE.get(visit.url.searchParams.get('done') ?? ''),
    failure,
    list: (
      <>
        {fresh && <FreshKey {...fresh} />}
        {list.ok ? <KeyList keys={list.value.items} /> : <Refused failure={failureOf(list)} />}
      </>
    ),
    id: 'make',
    heading: key === undefined ? 'Make a key' : `Change the key “${key.name}”`,
    form: (
      <EditForm
        fields={FIELDS}
        form={form ?? formOf(FIELDS, key ?? USUAL)}
        problems={form && failure?.problems}
        folded={FOLDED}
        filled={key && filledWith(FIELDS, key.id, key, form)}
        action="/console/keys"
        act={key === undefined ? 'make' : 'change'}
        button={key === undefined ? 'Make the key' : 'Save the key'}
      />
    ),
  })
}

function FreshKey({ name, key, previous_expires_at }: Fresh) {
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
