import type { ApiAnswers } from '../../api/answers.ts'
import { hasScope } from '../../core/access/principal.ts'
import { toolsetReader, type ToolsetDefinition, type ToolsetSummary } from '../../core/access/toolset.ts'
import { parseValue, toJsonSchema } from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { Copyable } from '../../http/page/rows.tsx'
import { truncate } from '../../http/page/text.ts'
import { formatCaller } from '../calls/callers.ts'
import { Changes } from '../changes.tsx'
import { Markdown } from '../markdown.tsx'
import type { PageContext, PageResult, RouteFailure, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { ConfirmForm, exact, Facts, FailureNotice, Notice, Time, toFailureView, ToolNameLabel } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'
import { compareToolsets } from './changes.ts'

type Toolset = ApiAnswers['GET /toolsets/:name']
type ChangeReport = { readonly failure?: RouteFailure; readonly warnings?: readonly Problem[] }

export const TOOLSETS_PATH = '/console/toolsets'
/** Entries per page. */
const PAGE_SIZE = 30
const DONE_MESSAGES = new Map([
  ['saved', 'Toolset saved. The change applies everywhere within a minute.'],
  ['pending', 'Change saved. It applies once it is approved.'],
  ['reject', 'Change rejected.'],
])
const DEFINITION_KEYS = new Set(Object.keys(Object(toJsonSchema(toolsetReader)['properties'])))

export async function submit(context: PageContext): Promise<PageResult> {
  const { form, params, fetchRoute } = context
  const request = { name: params['name'] ?? '', etag: form.get('etag') ?? undefined }
  const verb = form.get('do') ?? ''
  if (verb === 'remove') {
    const removal = await fetchRoute('DELETE /toolsets/:name', request)
    return removal.ok ? { redirectTo: `${TOOLSETS_PATH}?done=removed` } : show(context, removal)
  }
  const decision = `POST /toolsets/:name/${verb === 'approve' ? verb : 'reject'}` as const
  const current = verb.endsWith('able') ? await fetchRoute('GET /toolsets/:name', request) : undefined
  if (current?.ok === false) return show(context, current)
  const body = current && { ...toDefinition(current.value), enabled: verb === 'enable' }
  const change = await fetchRoute(body ? 'PUT /toolsets/:name' : decision, { ...request, body })
  if (!change.ok) return show(context, change)
  const notice = verb === 'reject' ? verb : change.value.pending ? 'pending' : 'saved'
  return { redirectTo: `${buildToolsetHref(request.name)}?done=${notice}` }
}

/** Drops the fields that the deployment adds to a definition. */
export function toDefinition(toolset: Toolset): ToolsetDefinition {
  const fields = Object.entries(toolset).filter(([key]) => DEFINITION_KEYS.has(key))
  const definition = parseValue(toolsetReader, Object.fromEntries(fields))
  return definition.ok ? definition.value : toolset
}

export function buildToolsetHref(name: string): string {
  return `${TOOLSETS_PATH}/${encodeURIComponent(name)}`
}

export function formatState({ enabled, pending }: Pick<ToolsetSummary, 'enabled' | 'pending'>): string {
  return `${enabled ? 'enabled' : 'disabled'}${pending ? ', a change waits for approval' : ''}`
}

export async function show(context: PageContext, { failure, warnings }: ChangeReport = {}): Promise<View> {
  const { principal, url, params, fetchRoute } = context
  const name = params['name'] ?? ''
  const [reply, keys] = await Promise.all([
    fetchRoute('GET /toolsets/:name', { name }),
    hasScope(principal, 'admin') ? fetchRoute('GET /keys') : undefined,
  ])
  if (!reply.ok) return toFailureView('Toolset', reply, <a href={TOOLSETS_PATH}>Toolsets</a>)
  const { value: toolset, etag = '' } = reply
  const { title = name, description, instructions, enabled, tools, pending } = toolset
  const boundKeys = keys?.ok ? keys.value.items.filter((key) => key.toolset === name) : []
  const keyNote = boundKeys.length > 0 ? ` Keys: ${truncate(boundKeys.map((key) => `“${key.name}”`).join(', '))}.` : ''
  const message = DONE_MESSAGES.get(url.searchParams.get('done') ?? '')
  const notice = failure ?? (warnings && { status: 200, message: 'Saved, with warnings', problems: warnings })
  return {
    title,
    trail: [{ text: 'Toolsets', href: TOOLSETS_PATH }],
    status: failure?.status ?? 200,
    content: (
      <>
        {notice ? <FailureNotice failure={notice} /> : message && <Notice>{message}</Notice>}
        {description && <Markdown text={description} />}
        {pending && <PendingChange toolset={toolset} pending={pending} />}
        <ToolsetFacts {...toolset} />
        <h2>Tools</h2>
        <Table label="Tools" columns={COLUMNS} {...paginate(context, tools, PAGE_SIZE)} emptyMessage="No tools." />
        {instructions && <h2>Instructions</h2>}
        {instructions && <Markdown text={instructions} />}
        <h2>URLs</h2>
        <p>In a URL, a toolset is a view that the caller may leave out; bound to a key or an agent, it is a right.</p>
        {[`${url.origin}/mcp/t/${name}`, `${url.origin}/connect/mcp/t/${name}`, `?toolset=${name}`].map((text) => (
          <Copyable text={text} />
        ))}
        <p>
          <a class="button go" href={`${TOOLSETS_PATH}?${new URLSearchParams({ name })}`}>
            Edit
          </a>
        </p>
        {pending ? undefined : (
          <form method="post" action={buildToolsetHref(name)}>
            <input type="hidden" name="etag" value={exact(etag)} />
            <button class="quiet" name="do" value={enabled ? 'disable' : 'enable'}>
              {enabled ? 'Disable' : 'Enable'}
            </button>
          </form>
        )}
        <ConfirmForm
          id="remove"
          label="Delete"
          name={`Delete ${name}`}
          question={`Keys and agents that have it will see and call no tools.${keyNote}`}
          action={buildToolsetHref(name)}
        >
          <input type="hidden" name="do" value="remove" />
          <input type="hidden" name="etag" value={exact(etag)} />
        </ConfirmForm>
      </>
    ),
  }
}

function PendingChange({ toolset, pending }: { toolset: Toolset; pending: NonNullable<Toolset['pending']> }) {
  return (
    <section class="panel" aria-labelledby="pending">
      <h2 id="pending">Change that waits for approval</h2>
      <p class="note">
        By {formatCaller({ principal: pending.changed_by })}, <Time at={pending.changed_at} />
        {pending.tokens !== undefined && `. Costs a model ${pending.tokens.toLocaleString('en')} tokens`}
      </p>
      <Changes changes={compareToolsets(toDefinition(toolset), pending.definition)} />
      <form method="post" action={buildToolsetHref(toolset.name)}>
        <input type="hidden" name="etag" value={exact(pending.digest)} />
        <button class="go" name="do" value="approve">
          Approve
        </button>
        <button class="danger" name="do" value="reject">
          Reject
        </button>
      </form>
    </section>
  )
}

function ToolsetFacts(toolset: Toolset) {
  const { name, enabled, pending, tokens, owner, revision, changed_by, changed_at, digest, lock, pinned } = toolset
  return (
    <Facts
      facts={{
        Name: <code>{name}</code>,
        State: formatState({ enabled, pending: pending !== undefined }),
        Tokens: tokens?.toLocaleString('en'),
        Pinned: pinned?.join(', '),
        Owner: formatCaller({ principal: owner }),
        Revision: [String(revision), ', by ', formatCaller({ principal: changed_by }), ', ', <Time at={changed_at} />],
        Digest: <code>{digest}</code>,
        Lock: lock && <code>{lock}</code>,
      }}
    />
  )
}

const COLUMNS: readonly Column<Toolset['tools'][number]>[] = [
  { title: 'Tool', isName: true, isLong: true, cell: ({ tool }) => <ToolNameLabel name={tool} /> },
  { title: 'Version', cell: ({ version = 'newest' }) => version },
  { title: 'Name here', isLong: true, cell: ({ name }) => name },
  { title: 'Title', isLong: true, cell: ({ title }) => title },
  { title: 'Description', isLong: true, cell: ({ description }) => description && truncate(description) },
  {
    title: 'Arguments',
    isLong: true,
    cell: ({ arguments: fixed = {} }) =>
      Object.entries(fixed)
        .map(([name, { value, hidden }]) =>
          hidden ? `${name} hidden` : `${name} = ${truncate(JSON.stringify(value))}`,
        )
        .join(', '),
  },
]
