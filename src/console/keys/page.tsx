import { Copyable } from '../../http/page/rows.tsx'
import { newKeyReader } from '../../core/access/api-key.ts'
import type { CallLimits } from '../../core/access/call-limits.ts'
import { toJsonSchema } from '../../core/tool/json-reader.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { agentHosts, withKey } from '../../docs/agent-hosts.ts'
import { editFields, editView, refusedForm, type SentForm, trimmed } from '../form/edit.tsx'
import { changesIn, readFormInput } from '../form/values.ts'
import type { PageResult, PageContext, View } from '../visit.ts'
import { paginate } from '../portion.ts'
import { exact, FoldedForm, Notice, Select, SnippetList, Time } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'

type Key = ApiAnswers['GET /keys/:id']

type FreshKeyProps = Pick<Key, 'name'> & { readonly key: string; readonly previous_expires_at?: string }

const PATH = '/console/keys'
const FIELDS = editFields(toJsonSchema(newKeyReader(() => new Date())))
const FOLDED = { summary: 'Limits and recording', keys: ['record_arguments', 'limits'] }
const NONE = 'No keys yet. Create one for each agent and each publisher.'
const DEFAULTS = { scopes: ['tools:read', 'tools:call'] }

/** In rows, of a page. */
const MOST = 30
/** By their ids: hosts that a snippet with the key in it sets up. */
const HOSTS = ['claude-code', 'cursor', 'vs-code']

const DAY_S = 86_400
/** In seconds: how long the text of before works on after a rotation. */
const OVERLAPS = [
  { value: String(DAY_S), text: 'a day' },
  { value: '3600', text: 'an hour' },
  { value: '0', text: 'no time' },
]

const DONE = new Map([
  ['revoked', 'Key revoked. It stops working everywhere within a minute.'],
  ['changed', 'Key saved. The change applies everywhere within a minute.'],
])

export async function act(visit: PageContext): Promise<PageResult> {
  const form = trimmed(visit.form)
  const id = form.get('id') ?? ''
  switch (form.get('do')) {
    case 'make': {
      const made = await visit.fetchRoute('POST /keys', { body: readFormInput(FIELDS, form, visit.meter).input })
      return made.ok ? show(visit, undefined, made.value) : show(visit, { failure: made.failure, form })
    }
    case 'change':
      return changeKey(visit, form)
    case 'rotate': {
      const body = { overlap_seconds: Number(form.get('overlap') ?? DAY_S) }
      const rotated = await visit.fetchRoute('POST /keys/:id/rotate', { id, body })
      return rotated.ok ? show(visit, undefined, rotated.value) : show(visit, rotated)
    }
    case 'revoke': {
      const revoked = await visit.fetchRoute('DELETE /keys/:id', { id })
      return revoked.ok ? { redirectTo: `${PATH}?done=revoked` } : show(visit, revoked)
    }
    default:
      return { redirectTo: PATH }
  }
}

/** Sends the fields that differ alone, so that nothing else changes, such as a key for no tool to one for all. */
async function changeKey(visit: PageContext, form: URLSearchParams): Promise<PageResult> {
  const id = visit.url.searchParams.get('id') ?? ''
  const before = await visit.fetchRoute('GET /keys/:id', { id })
  if (!before.ok) return show(visit, refusedForm(before, form))
  const body = changesIn(FIELDS, before.value, readFormInput(FIELDS, form, visit.meter).input)
  const changed = await visit.fetchRoute('PATCH /keys/:id', { id, body, etag: form.get('etag') ?? undefined })
  if (!changed.ok) return show(visit, refusedForm(changed, form))
  return { redirectTo: `${PATH}?done=changed` }
}

export async function show(visit: PageContext, sent?: SentForm, fresh?: FreshKeyProps): Promise<View> {
  const id = fresh ? null : visit.url.searchParams.get('id')
  const shared = { id: 'make', fields: FIELDS, folded: FOLDED }
  return editView<Key>(visit, {
    title: 'API keys',
    done: DONE,
    sent,
    all: visit.fetchRoute('GET /keys'),
    one: id ? visit.fetchRoute('GET /keys/:id', { id }) : undefined,
    above: fresh && <FreshKey {...fresh} origin={visit.url.origin} />,
    list: (keys) => <Table label="Keys" columns={COLUMNS} {...paginate(visit, keys, MOST)} none={NONE} />,
    form: (key) =>
      key
        ? { ...shared, heading: `Edit key “${key.name}”`, action: buildHref(key), act: 'change', button: 'Save key' }
        : { ...shared, heading: 'Create key', action: PATH, act: 'make', button: 'Create key', value: DEFAULTS },
  })
}

function FreshKey({ name, key, previous_expires_at, origin }: FreshKeyProps & { origin: string }) {
  const hosts = agentHosts(origin).flatMap(({ id, title, where, snippet }) => {
    return snippet && HOSTS.includes(id)
      ? { title, note: where.split(/(?<=\.) /)[0] ?? where, text: withKey(snippet, key) }
      : []
  })
  return (
    <Notice>
      <p>
        <strong>Key “{name}” created. Copy it now: it is not shown again.</strong>
      </p>
      <Copyable text={key} />
      {previous_expires_at === undefined ? undefined : (
        <p>
          The previous key works until <Time at={previous_expires_at} />.
        </p>
      )}
      <h2>Set up an agent with this key</h2>
      <SnippetList snippets={hosts} isOpen />
      <p class="note">
        The key is in these texts, so keep the files out of a repository. See <a href="/console/connect">all agents</a>,
        which read it from a variable.
      </p>
    </Notice>
  )
}

const COLUMNS: readonly Column<Key>[] = [
  { title: 'Name', isName: true, cell: ({ name }) => name },
  { title: 'Scopes', isLong: true, cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Tools', isLong: true, cell: ({ tools }) => tools.join(', ') || 'none' },
  { title: 'Users', isLong: true, cell: ({ users }) => (users === 'any' ? 'any' : users.join(', ') || 'none') },
  { title: 'Limits', isLong: true, cell: ({ limits }) => <Limits {...limits} /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Expires', cell: ({ expires_at: at }) => (at === undefined ? 'never' : <Time at={at} />) },
  { title: 'Actions', isAction: true, cell: (key) => <KeyChange {...key} /> },
]

function Limits({ rate, concurrency }: CallLimits) {
  const words = [
    ...(rate ? [`${rate.calls} calls in ${rate.seconds} s`] : []),
    ...(concurrency === undefined ? [] : [`${concurrency} at a time`]),
  ]
  return <>{words.join(', ')}</>
}

function buildHref({ id }: Key): string {
  return `${PATH}?${new URLSearchParams({ id })}`
}

function KeyChange(key: Key) {
  const { id, name } = key
  return (
    <>
      <a href={`${buildHref(key)}#make`} aria-label={`Edit key ${name}`}>
        Edit
      </a>
      <FoldedForm label="More" name={`More for ${name}: rotate or revoke`} action={PATH}>
        <input type="hidden" name="id" value={exact(id)} />
        <Select label="Keep the previous key for" name="overlap" options={OVERLAPS} value={String(DAY_S)} />
        <button name="do" value="rotate">
          Rotate
        </button>
        <button class="danger" name="do" value="revoke">
          Revoke
        </button>
      </FoldedForm>
    </>
  )
}
