import { Copyable } from '../../http/page/rows.tsx'
import { newKeyReader, SCOPE_MEANINGS } from '../../core/access/api-key.ts'
import type { CallLimits } from '../../core/access/call-limits.ts'
import { toJsonSchema } from '../../core/tool/json-reader.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { agentHosts, withKey } from '../../docs/agent-hosts.ts'
import { listEditFields, renderEditPage, toRefusedForm, type SubmittedForm, trimForm } from '../form/edit.tsx'
import { diffInput, readFormInput } from '../form/values.ts'
import type { PageResult, PageContext, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { readFilters } from '../query.ts'
import { ConfirmForm, exact, Notice, Select, SnippetList, TextField, Time } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'

type Key = ApiAnswers['GET /keys/:id']

type FreshKeyProps = ApiAnswers['POST /keys']

const PATH = '/console/keys'
const FIELDS = listEditFields(toJsonSchema(newKeyReader(() => new Date()))).map((field) =>
  field.kind.type === 'several' ? { ...field, description: '', kind: { ...field.kind, notes: SCOPE_MEANINGS } } : field,
)
const NEW_ITEM = { href: `${PATH}?new=1`, label: 'Create key' }
const FOLDED_FIELDS = { summary: 'Limits and recording', keys: ['record_arguments', 'limits'] }
const NO_KEYS = 'No keys yet. Create one for each agent and each publisher.'
const NEW_KEY = { scopes: ['tools:read', 'tools:call'] }

/** Rows per page. */
const PAGE_SIZE = 30
/** Ids of the agent hosts whose snippets are shown with the key. */
const SNIPPET_HOSTS = ['claude-code', 'cursor', 'vs-code']

const DAY_S = 86_400
/** Seconds that the previous key keeps working after a rotation. */
const OVERLAP_OPTIONS = [
  { value: String(DAY_S), text: 'a day' },
  { value: '3600', text: 'an hour' },
  { value: '0', text: 'no time' },
]

const DONE_MESSAGES = new Map([
  ['revoked', 'Key revoked. It stops working everywhere within a minute.'],
  ['changed', 'Key saved. The change applies everywhere within a minute.'],
])

export async function submit(context: PageContext): Promise<PageResult> {
  const form = trimForm(context.form)
  const id = form.get('id') ?? ''
  switch (form.get('do')) {
    case 'make': {
      const creation = await context.fetchRoute('POST /keys', {
        body: readFormInput(FIELDS, form).input,
      })
      return creation.ok ? show(context, undefined, creation.value) : show(context, { failure: creation.failure, form })
    }
    case 'change':
      return changeKey(context, form)
    case 'rotate': {
      const body = { overlap_seconds: Number(form.get('overlap') ?? DAY_S) }
      const rotation = await context.fetchRoute('POST /keys/:id/rotate', { id, body })
      return rotation.ok ? show(context, undefined, rotation.value) : show(context, rotation)
    }
    case 'revoke': {
      const revocation = await context.fetchRoute('DELETE /keys/:id', { id })
      return revocation.ok ? { redirectTo: `${PATH}?done=revoked` } : show(context, revocation)
    }
    default:
      return { redirectTo: PATH }
  }
}

/** Sends only the fields that differ, so that nothing else changes, such as a key for no tools becoming one for all. */
async function changeKey(context: PageContext, form: URLSearchParams): Promise<PageResult> {
  const id = context.url.searchParams.get('id') ?? ''
  const current = await context.fetchRoute('GET /keys/:id', { id })
  if (!current.ok) return show(context, toRefusedForm(current, form))
  const body = diffInput(FIELDS, current.value, readFormInput(FIELDS, form).input)
  const change = await context.fetchRoute('PATCH /keys/:id', { id, body, etag: form.get('etag') ?? undefined })
  if (!change.ok) return show(context, toRefusedForm(change, form))
  return { redirectTo: `${PATH}?done=changed` }
}

export async function show(context: PageContext, submitted?: SubmittedForm, freshKey?: FreshKeyProps): Promise<View> {
  const id = freshKey ? null : context.url.searchParams.get('id')
  const { q = '' } = readFilters(context, ['q'])
  const isFound = (key: Key) => `${key.name} ${key.prefix ?? ''}`.toLowerCase().includes(q.toLowerCase())
  const shared = { id: 'make', fields: FIELDS, folded: FOLDED_FIELDS }
  return renderEditPage<Key>(context, {
    title: 'API keys',
    doneMessages: DONE_MESSAGES,
    submitted,
    items: context.fetchRoute('GET /keys'),
    item: id ? context.fetchRoute('GET /keys/:id', { id }) : undefined,
    introduction: freshKey && <FreshKey {...freshKey} origin={context.url.origin} />,
    newItem: NEW_ITEM,
    renderList: (keys) => (
      <>
        {keys.length > 1 && (
          <form class="row" method="get">
            <TextField label="Find" note="name or first characters" name="q" value={q} />
            <button>Show</button>
          </form>
        )}
        <Table
          label="Keys"
          columns={COLUMNS}
          {...paginate(context, keys.filter(isFound), PAGE_SIZE)}
          emptyMessage={q === '' ? NO_KEYS : 'No keys match.'}
        />
      </>
    ),
    buildForm: (key) =>
      key
        ? {
            ...shared,
            heading: `Edit key “${key.name}”`,
            action: buildHref(key),
            verb: 'change',
            button: 'Save key',
            outro: <Rotation {...key} />,
          }
        : { ...shared, heading: 'Create key', action: PATH, verb: 'make', button: 'Create key', value: NEW_KEY },
  })
}

function FreshKey({ name, key, previous_expires_at, origin }: FreshKeyProps & { origin: string }) {
  const hosts = agentHosts(origin).flatMap(({ id, title, where, snippet }) => {
    return snippet && SNIPPET_HOSTS.includes(id)
      ? { title, note: where.split(/(?<=\.) /)[0] ?? where, text: withKey(snippet, key) }
      : []
  })
  return (
    <Notice>
      <p>
        <strong>
          {previous_expires_at === undefined ? `Key “${name}” created` : `Key “${name}” rotated`}. Copy it now: it is
          not shown again.
        </strong>
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
  {
    title: 'Name',
    isName: true,
    isLong: true,
    cell: (key) => (
      <>
        <a href={buildHref(key)}>{key.name}</a> {key.prefix && <code>{key.prefix}…</code>}
      </>
    ),
  },
  { title: 'Scopes', isLong: true, cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Tools', isLong: true, cell: ({ tools }) => tools.join(', ') || 'none' },
  { title: 'Users', isLong: true, cell: ({ users }) => (users === 'any' ? 'any' : users.join(', ') || 'none') },
  { title: 'Limits', cell: ({ limits = {} }) => formatLimits(limits) },
  {
    title: 'Last used',
    cell: ({ last_used_at: used, expires_at: expires, previous_expires_at: previous }) => (
      <>
        {used === undefined ? 'never' : <Time at={used} />} {expires && <Until text="expires" at={expires} />}{' '}
        {previous && Date.parse(previous) > Date.now() && <Until text="previous text works until" at={previous} />}
      </>
    ),
  },
  { title: 'Actions', isAction: true, cell: (key) => <Revocation {...key} /> },
]

function Until({ text, at }: { text: string; at: string }) {
  return (
    <span class="note">
      {text} <Time at={at} />
    </span>
  )
}

function formatLimits({ rate, concurrency }: CallLimits): string {
  const rateText = rate && `${rate.calls} / ${rate.seconds} s`
  return [rateText, concurrency && `${concurrency} at a time`].filter(Boolean).join(', ')
}

function buildHref({ id }: Key): string {
  return `${PATH}?${new URLSearchParams({ id })}`
}

function Revocation({ id, name }: Key) {
  return (
    <ConfirmForm
      id={`revoke-${id}`}
      label="Revoke"
      name={`Revoke “${name}”`}
      question="It stops working everywhere within a minute, for good."
      action={PATH}
    >
      <input type="hidden" name="do" value="revoke" />
      <input type="hidden" name="id" value={exact(id)} />
    </ConfirmForm>
  )
}

function Rotation({ id, name }: Key) {
  return (
    <>
      <h2>Rotate key</h2>
      <p>The key gets a new text with the same permissions.</p>
      <form class="row" method="post" action={PATH}>
        <input type="hidden" name="id" value={exact(id)} />
        <Select label="Keep the previous text for" name="overlap" options={OVERLAP_OPTIONS} value={String(DAY_S)} />
        <button name="do" value="rotate">
          Rotate “{name}”
        </button>
      </form>
    </>
  )
}
