import { hasScope } from '../../core/access/principal.ts'
import { SETTABLE_STATES, STATUS_ORDER } from '../../core/tool/version.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext, RouteFailure, View } from '../page-context.ts'
import { toReplyView, Chips, exact, FailureNotice, formatCode, NextLink, Notice, TextField } from '../parts.tsx'
import { truncate } from '../../http/page/text.ts'
import { readFilters, buildQuery } from '../query.ts'
import { loadReviews, Review, ReviewButtons, type PendingReview } from './review.tsx'
import { submitToolkitForm, StatusButtons, ToolkitPanel } from './toolkit.tsx'

type State = (typeof STATUS_ORDER)[number]

const STATE_DESCRIPTIONS: Readonly<Record<State, string>> = {
  active: 'Active versions are listed and can be called.',
  deprecated:
    'Deprecated versions are not listed. They are called by exact version, or by name if no version is active.',
  yanked: 'Yanked versions are not listed. They are called by exact version only.',
  disabled: 'Disabled versions are neither listed nor called.',
  pending: 'Waiting for review. Callers cannot use these yet.',
}
const PAGE_SIZE = '20'
/** Fewer, because each is loaded with all its changes. */
const REVIEW_PAGE_SIZE = '10'
export const VERSIONS_PATH = '/console/versions'

export async function submit(context: PageContext): Promise<PageResult> {
  const { form } = context
  const redirect = { redirectTo: buildHref({ ...readFilter(context), done: '1' }) }
  if (form.has('toolkit_name')) {
    const change = await submitToolkitForm(context)
    return change.ok ? redirect : show(context, { failure: change.failure })
  }
  const [status, id = '', message, successor] = ['to', 'id', 'message', 'successor'].map(
    (name) => form.get(name)?.trim() ?? '',
  )
  const details = status === 'deprecated' ? Object.fromEntries(buildQuery({ message, successor })) : {}
  const statusChange = await context.fetchRoute('PATCH /tools/:id', { id, body: { status, ...details } })
  if (!statusChange.ok) return show(context, { failure: statusChange.failure })
  return statusChange.value.status === status
    ? redirect
    : show(context, { keptStatus: { id, status: statusChange.value.status } })
}

const DEFAULT_STATE: State = 'pending'
const STATE_ORDER: readonly State[] = [DEFAULT_STATE, ...SETTABLE_STATES]

function readFilter(context: PageContext): { readonly status: State; readonly toolkit: string } {
  const { status, toolkit = '' } = readFilters(context, ['status', 'toolkit'])
  return { status: STATUS_ORDER.find((state) => state === status) ?? DEFAULT_STATE, toolkit }
}

function buildHref(filters: Readonly<Record<string, string>>): string {
  return `${VERSIONS_PATH}?${buildQuery(filters)}`
}

interface FailedChange {
  readonly failure?: RouteFailure
  /** A version whose status did not change, because its toolkit has a stricter one. */
  readonly keptStatus?: { readonly id: string; readonly status: string }
}

export async function show(context: PageContext, { failure, keptStatus }: FailedChange = {}): Promise<View> {
  const { status: state, toolkit } = readFilter(context)
  const { cursor } = readFilters(context, ['cursor'])
  const limit = state === 'pending' ? REVIEW_PAGE_SIZE : PAGE_SIZE
  const query = buildQuery({ status: state, toolkit, cursor, format: 'summary', limit })
  const list = await context.fetchRoute('GET /tools', { query })
  const showsToolkit = toolkit !== '' && hasScope(context.principal, 'admin')
  const toolkitReply = showsToolkit ? await context.fetchRoute('GET /toolkits/:toolkit', { toolkit }) : undefined
  const reviews = list.ok && state === 'pending' ? await loadReviews(context, list.value.items) : undefined
  const toolkits = await context.fetchRoute('GET /toolkits')
  // The count is known only for the current list
  const count =
    list.ok && !cursor ? ` ${list.value.items.length}${list.value.next_cursor === undefined ? '' : '+'}` : ''
  const chips = STATE_ORDER.map((status) => {
    const isCurrent = status === state
    return { text: `${formatCode(status)}${isCurrent ? count : ''}`, href: buildHref({ status, toolkit }), isCurrent }
  })
  const isDone = context.url.searchParams.has('done') && !failure && !keptStatus
  return {
    title: 'Versions',
    status: failure?.status ?? 200,
    content: (
      <>
        {isDone && <Notice>Saved. The change applies everywhere within a minute.</Notice>}
        {failure && <FailureNotice failure={failure} />}
        {keptStatus && <KeptStatusNotice {...keptStatus} />}
        <Chips label="Status" chips={chips} />
        <p class="note">{STATE_DESCRIPTIONS[state]}</p>
        <form class="row" method="get">
          <input type="hidden" name="status" value={state} />
          <TextField label="Toolkit" name="toolkit" value={toolkit} maxlength={64} list="toolkits" />
          <datalist id="toolkits">
            {toolkits.ok ? toolkits.value.items.map((item) => <option value={exact(item.toolkit)} />) : undefined}
          </datalist>
          <button class="go">Show</button>
        </form>
        {toolkit === '' ? undefined : <ToolkitPanel name={toolkit} reply={toolkitReply} />}
        {toReplyView(list, ({ items, next_cursor: next }) => (
          <>
            <Versions state={state} toolkit={toolkit} items={items} reviews={reviews} />
            {next && <NextLink href={buildHref({ status: state, toolkit, cursor: next })} label="More versions" />}
          </>
        ))}
      </>
    ),
  }
}

function KeptStatusNotice({ id, status }: NonNullable<FailedChange['keptStatus']>) {
  const [toolkit = ''] = id.split('.')
  return (
    <Notice isProblem>
      <p>
        <strong>It stays {status}</strong>, as its whole toolkit is
        {status === 'yanked' && ', or as it was before it was disabled'}. Change{' '}
        <a href={`${VERSIONS_PATH}?${new URLSearchParams({ status, toolkit })}#toolkit`}>the toolkit</a>
        {status === 'yanked' && ', or activate the version again'}.
      </p>
    </Notice>
  )
}

interface VersionsProps {
  readonly state: State
  readonly toolkit: string
  readonly items: ApiAnswers['GET /tools']['items']
  readonly reviews: readonly PendingReview[] | undefined
}

function Versions({ state, toolkit, items, reviews }: VersionsProps) {
  if (items.length === 0) {
    if (state !== 'pending') return <Notice>{`No versions are ${state}.`}</Notice>
    return (
      <Notice>
        No versions wait for review. <a href={buildHref({ status: 'active', toolkit })}>Show active versions</a>
      </Notice>
    )
  }
  return (
    <ul class={reviews ? 'cards whole' : 'cards'} aria-label="Versions">
      {items.map((tool, index) => {
        const link = <a href={`/console/tools/${encodeURIComponent(tool.id)}`}>{tool.id}</a>
        const review = reviews?.[index]
        return (
          <li>
            {review ? <h2>{link}</h2> : link}
            {review ? <Review {...review} /> : <p>{truncate(tool.description)}</p>}
            {review ? <ReviewButtons id={tool.id} /> : <StatusChange id={tool.id} state={state} />}
          </li>
        )
      })}
    </ul>
  )
}

/** Must be opened first, to prevent accidental changes. */
function StatusChange({ id, state }: { id: string; state: State }) {
  return (
    <details>
      <summary aria-label={`Change status of ${id}`}>Change status</summary>
      <form method="post">
        <input type="hidden" name="id" value={exact(id)} />
        <StatusButtons current={state} />
      </form>
      {state === 'deprecated' ? undefined : (
        <form method="post">
          <input type="hidden" name="id" value={exact(id)} />
          <TextField label="Message" note="in its readiness" name="message" maxlength={1_000} autocomplete="off" />
          <TextField label="Successor" note="the id of a tool" name="successor" maxlength={200} autocomplete="off" />
          <button class="danger" name="to" value="deprecated">
            Deprecate
          </button>
        </form>
      )}
    </details>
  )
}
