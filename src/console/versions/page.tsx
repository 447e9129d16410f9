import { hasScope } from '../../core/access/principal.ts'
import { SETTABLE_STATES, STATUS_ORDER } from '../../core/tool/version.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext, RouteFailure, View } from '../visit.ts'
import { toReplyView, Chips, exact, FailureNotice, NextLink, Notice, TextField } from '../parts.tsx'
import { truncate } from '../../http/page/text.ts'
import { readFilters, buildQuery } from '../query.ts'
import { readToReview, Review, type ToReview } from './review.tsx'
import { submitToolkitForm, StatusButtons, WholeToolkit } from './toolkit.tsx'

type State = (typeof STATUS_ORDER)[number]

const MEANINGS: Readonly<Record<State, string>> = {
  active: 'listed and called',
  deprecated: 'not listed; called by exact version, or by name if no version is active',
  yanked: 'called by exact version only, and not listed',
  disabled: 'neither listed nor called',
  pending: 'waiting for review; callers cannot use these yet',
}
const LIMIT = '30'
/** Each is read with all that it changes. */
const REVIEW_LIMIT = '10'
const PATH = '/console/versions'

export async function act(visit: PageContext): Promise<PageResult> {
  const { form } = visit
  const done = { redirectTo: buildHref({ ...readFilter(visit), done: '1' }) }
  if (form.has('toolkit_name')) {
    const changed = await submitToolkitForm(visit)
    return changed.ok ? done : show(visit, { failure: changed.failure })
  }
  const [status, id = '', message, successor] = ['to', 'id', 'message', 'successor'].map(
    (name) => form.get(name)?.trim() ?? '',
  )
  const words = status === 'deprecated' ? Object.fromEntries(buildQuery({ message, successor })) : {}
  const changed = await visit.fetchRoute('PATCH /tools/:id', { id, body: { status, ...words } })
  if (!changed.ok) return show(visit, { failure: changed.failure })
  return changed.value.status === status ? done : show(visit, { held: { id, status: changed.value.status } })
}

const FIRST: State = 'pending'
const ORDERED: readonly State[] = [FIRST, ...SETTABLE_STATES]

function readFilter(visit: PageContext): { readonly status: State; readonly toolkit: string } {
  const { status, toolkit = '' } = readFilters(visit, ['status', 'toolkit'])
  return { status: STATUS_ORDER.find((state) => state === status) ?? FIRST, toolkit }
}

function buildHref(filters: Readonly<Record<string, string>>): string {
  return `${PATH}?${buildQuery(filters)}`
}

interface FailedChange {
  readonly failure?: RouteFailure
  /** A version that keeps its status, since its toolkit has a stricter one. */
  readonly held?: { readonly id: string; readonly status: string }
}

export async function show(visit: PageContext, { failure, held }: FailedChange = {}): Promise<View> {
  const { status: state, toolkit } = readFilter(visit)
  const { cursor } = readFilters(visit, ['cursor'])
  const limit = state === 'pending' ? REVIEW_LIMIT : LIMIT
  const query = buildQuery({ status: state, toolkit, cursor, format: 'summary', limit })
  const list = await visit.fetchRoute('GET /tools', { query })
  const isShown = toolkit !== '' && hasScope(visit.principal, 'admin')
  const toolkitReply = isShown ? await visit.fetchRoute('GET /toolkits/:toolkit', { toolkit }) : undefined
  const reviewed = list.ok && state === 'pending' ? await readToReview(visit, list.value.items) : undefined
  const chips = ORDERED.map((status) => {
    return { text: status, href: buildHref({ status, toolkit }), isCurrent: status === state }
  })
  const isDone = visit.url.searchParams.has('done') && !failure && !held
  return {
    title: 'Versions',
    status: failure?.status ?? 200,
    content: (
      <>
        {isDone && <Notice>Saved. The change applies everywhere within a minute.</Notice>}
        {failure && <FailureNotice failure={failure} />}
        {held && <Held {...held} />}
        <Chips label="Status" chips={chips} />
        <p class="note">
          {state}: {MEANINGS[state]}.
        </p>
        <form class="row" method="get">
          <input type="hidden" name="status" value={state} />
          <TextField label="Toolkit" name="toolkit" value={toolkit} maxlength={64} autocomplete="off" />
          <button class="go">Show</button>
        </form>
        {toolkit === '' ? undefined : <WholeToolkit name={toolkit} reply={toolkitReply} />}
        {toReplyView(list, ({ items, next_cursor: next }) => (
          <>
            <Versions state={state} toolkit={toolkit} items={items} reviewed={reviewed} />
            {next && <NextLink href={buildHref({ status: state, toolkit, cursor: next })} label="More versions" />}
          </>
        ))}
      </>
    ),
  }
}

function Held({ id, status }: NonNullable<FailedChange['held']>) {
  const [toolkit = ''] = id.split('.')
  return (
    <Notice isProblem>
      <p>
        <strong>It stays {status}</strong>, as its whole toolkit is. The change takes effect once{' '}
        <a href={`${PATH}?${new URLSearchParams({ status, toolkit })}#toolkit`}>the toolkit</a> is changed.
      </p>
    </Notice>
  )
}

interface VersionsProps {
  readonly state: State
  readonly toolkit: string
  readonly items: ApiAnswers['GET /tools']['items']
  readonly reviewed: readonly ToReview[] | undefined
}

function Versions({ state, toolkit, items, reviewed }: VersionsProps) {
  if (items.length === 0) {
    if (state !== 'pending') return <Notice>{`No versions are ${state}.`}</Notice>
    return (
      <Notice>
        No versions wait for review. <a href={buildHref({ status: 'active', toolkit })}>Show active versions</a>
      </Notice>
    )
  }
  return (
    <ul class={reviewed ? 'cards whole' : 'cards'} aria-label="Versions">
      {items.map((tool, index) => {
        const link = <a href={`/console/tools/${encodeURIComponent(tool.id)}`}>{tool.id}</a>
        const review = reviewed?.[index]
        return (
          <li>
            {review ? <h2>{link}</h2> : link}
            {review ? <Review {...review} /> : <p>{truncate(tool.description)}</p>}
            <Change id={tool.id} state={state} />
          </li>
        )
      })}
    </ul>
  )
}

/** Changes a status: it is opened first, and then pressed, so nothing changes by a slip. */
function Change({ id, state }: { id: string; state: State }) {
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
