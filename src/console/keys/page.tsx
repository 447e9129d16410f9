import { SCOPES } from '../../core/access/principal.ts'
import type { Leads, View, Visit } from '../page.ts'
import { Copyable, exact, Notice, Refused, Time } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'
import { type Column, Table } from '../table.tsx'

/** As `GET /keys` lists a key. */
interface Key {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly tools: readonly string[]
  readonly users: 'any' | readonly string[]
  readonly created_at: string
  readonly expires_at?: string
  readonly last_used_at?: string
}

/** What a form came to, as the page says it. */
interface Said {
  readonly failure?: SaidFailure
  /** A key that is there now, with its text, which nothing shows again. */
  readonly fresh?: { readonly name: string; readonly key: string; readonly previous_expires_at?: string }
  readonly form?: URLSearchParams
}

const DAY_S = 86_400
/** For so long the text of before works on, in words. */
const OVERLAPS = new Map([
  [String(DAY_S), 'a day'],
  ['3600', 'an hour'],
  ['0', 'not at all'],
])

/** The API keys of the deployment. */
export async function show(visit: Visit): Promise<View | Leads> {
  return keysView(visit, {})
}

/** Makes a key, gives one another text, or revokes one. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const path = `/keys/${encodeURIComponent(form.get('id') ?? '')}`
  switch (form.get('do')) {
    case 'make': {
      const made = await visit.ask<{ name: string; key: string }>('POST', '/keys', newKeyOf(form))
      return keysView(visit, made.ok ? { fresh: made.value } : { failure: failureOf(made), form })
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

/** The body of `POST /keys` that a form says. */
function newKeyOf(form: URLSearchParams): object {
  const list = (name: string) => (form.get(name) ?? '').split(/[\s,]+/).filter((each) => each !== '')
  const tools = list('tools')
  const users = list('users')
  const expires = form.get('expires') ?? ''
  return {
    name: form.get('name') ?? '',
    scopes: form.getAll('scope'),
    ...(tools.length === 0 ? {} : { tools }),
    ...(form.get('any_user') === '1' ? { users: 'any' } : users.length === 0 ? {} : { users }),
    ...(expires === '' ? {} : { expires_at: `${expires}T23:59:59Z` }),
  }
}

async function keysView(visit: Visit, { failure, fresh, form = new URLSearchParams() }: Said): Promise<View> {
  const list = await visit.ask<{ items: readonly Key[] }>('GET', '/keys')
  return {
    title: 'Keys',
    status: failure?.status ?? 200,
    content: (
      <>
        {visit.url.searchParams.get('done') === 'revoked' ? (
          <Notice>
            <p>The key is revoked. Elsewhere it is dead within a minute.</p>
          </Notice>
        ) : undefined}
        {failure === undefined ? undefined : <Refused failure={failure} />}
        {fresh === undefined ? undefined : <Fresh {...fresh} />}
        {list.ok ? <KeyList keys={list.value.items} /> : <Refused failure={failureOf(list)} />}
        <section aria-labelledby="make">
          <h2 id="make">Make a key</h2>
          <NewKey form={form} />
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
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Change', isAct: true, cell: (key) => <KeyChange {...key} /> },
]

function KeyChange({ id, name }: Key) {
  return (
    <details>
      <summary aria-label={`Rotate or revoke ${name}`}>Rotate or revoke</summary>
      <form method="post">
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
  )
}

function NewKey({ form }: { form: URLSearchParams }) {
  const field = (name: string) => exact(form.get(name) ?? '')
  const chosen = form.has('do') ? form.getAll('scope') : ['tools:read', 'tools:call']
  return (
    <form method="post">
      <input type="hidden" name="do" value="make" />
      <label>
        Name
        <input name="name" required maxlength={100} value={field('name')} autocomplete="off" />
      </label>
      <fieldset>
        <legend>It may</legend>
        {SCOPES.map((scope) => (
          <label class="choice">
            <input type="checkbox" name="scope" value={scope} checked={chosen.includes(scope)} />
            <span>{scope}</span>
          </label>
        ))}
      </fieldset>
      <label>
        Tools <span class="note">patterns such as Gmail.*; all (*) where nothing is said</span>
        <input name="tools" value={field('tools')} autocomplete="off" />
      </label>
      <label>
        For users <span class="note">none where nothing is said</span>
        <input name="users" value={field('users')} autocomplete="off" />
      </label>
      <label class="choice">
        <input type="checkbox" name="any_user" value="1" checked={form.get('any_user') === '1'} />
        <span>For any user</span>
      </label>
      <label>
        Last day <span class="note">it does not expire where nothing is said</span>
        <input type="date" name="expires" value={field('expires')} />
      </label>
      <button class="go">Make the key</button>
    </form>
  )
}
