import { SAID_STATES, STATES } from '../../core/tool/version.ts'
import { beginningOf, type ListedTool } from '../listed-tool.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { readToReview, Review, type ToReview } from './review.tsx'
import { changeToolkit, readToolkit, WholeToolkit } from './toolkit.tsx'

type State = (typeof STATES)[number]

/** What each status means, and what is pressed to give it. */
const WORDS: Readonly<Record<State, { readonly means: string; readonly button?: string }>> = {
  active: { means: 'listed and called', button: 'Activate' },
  deprecated: { means: 'listed and called, with a word to whoever does', button: 'Deprecate' },
  yanked: { means: 'called by its exact version alone, and not listed', button: 'Yank' },
  disabled: { means: 'neither listed nor called', button: 'Disable' },
  pending: { means: 'published where that is reviewed, and not there for callers until somebody activates them' },
}
const FILTERS = ['status', 'toolkit', 'cursor'] as const
const LIMIT = 50
/** Of those that wait each is read with all that it changes. */
const REVIEW_LIMIT = 10
const PATH = '/console/versions'

/** The versions of a status, those that wait for somebody first of all, for whoever may change it. */
export async function show(visit: Visit): Promise<View | Leads> {
  return versionsView(visit)
}

/** Gives a version, or a toolkit, another status. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const done = { leadsTo: hrefOf({ ...askedOf(visit), cursor: '', done: '1' }) }
  if (form.has('toolkit_name')) {
    const changed = await changeToolkit(visit)
    return changed.ok ? done : versionsView(visit, { failed: changed })
  }
  const [status, id, message, successor] = ['to', 'id', 'message', 'successor'].map(
    (name) => form.get(name)?.trim() ?? '',
  )
  const beside = status === 'deprecated' ? { message, successor } : {}
  const said = Object.fromEntries(Object.entries(beside).filter(([, value]) => value !== ''))
  const route = `/tools/${encodeURIComponent(id ?? '')}`
  const changed = await visit.ask<{ status: string }>('PATCH', route, { status, ...said })
  if (!changed.ok) return versionsView(visit, { failed: changed })
  return changed.value.status === status ? done : versionsView(visit, { held: { id: id ?? '', ...changed.value } })
}

type Asked = Readonly<Record<string, string>>

function askedOf({ url }: Visit): Asked {
  const asked = Object.fromEntries(FILTERS.map((name) => [name, url.searchParams.get(name)?.trim() ?? '']))
  return { ...asked, status: STATES.find((state) => state === asked['status']) ?? FIRST }
}

/** Those that wait for somebody come first. */
const FIRST: State = 'pending'
const ORDERED: readonly State[] = [FIRST, ...SAID_STATES]

function hrefOf(asked: Asked): string {
  return `${PATH}?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''))}`
}

/** What a change came to, where it is not done. */
interface Ended {
  readonly failed?: Reply<unknown>
  /** A version that stays as it is, whatever was said of it, since its toolkit is. */
  readonly held?: { readonly id: string; readonly status: string }
}

async function versionsView(visit: Visit, { failed, held }: Ended = {}): Promise<View> {
  const asked = askedOf(visit)
  const state = STATES.find((each) => each === asked['status']) ?? FIRST
  const limit = String(state === 'pending' ? REVIEW_LIMIT : LIMIT)
  const query = new URLSearchParams(
    Object.entries({ ...asked, format: 'summary', limit }).filter(([, value]) => value !== ''),
  )
  const list = await visit.ask<{ items: readonly ListedTool[]; next_cursor?: string }>('GET', `/tools?${query}`)
  const name = asked['toolkit'] ?? ''
  const told = name === '' ? undefined : await readToolkit(visit, name)
  const reviewed = list.ok && state === 'pending' ? await readToReview(visit, list.value.items) : undefined
  const isDone = visit.url.searchParams.has('done')
  return {
    title: 'Versions',
    status: failed?.status ?? 200,
    content: (
      <>
        {isDone && !failed && !held ? (
          <Notice>
            <p>It is changed: here at once, and everywhere within a minute.</p>
          </Notice>
        ) : undefined}
        {failed && <Refused failure={failureOf(failed)} />}
        {held && <Held {...held} />}
        <ul class="chips" aria-label="Status">
          {ORDERED.map((each) => (
            <li>
              <a
                class="chip"
                href={hrefOf({ ...asked, status: each, cursor: '' })}
                {...(each === state ? { 'aria-current': 'true' } : {})}
              >
                {each}
              </a>
            </li>
          ))}
        </ul>
        <p class="note">
          Versions that are {state}: {WORDS[state].means}.
        </p>
        <form class="row" method="get">
          <input type="hidden" name="status" value={state} />
          <label>
            Toolkit
            <input name="toolkit" value={exact(asked['toolkit'] ?? '')} maxlength={64} autocomplete="off" />
          </label>
          <button class="go">Show</button>
        </form>
        {name === '' ? undefined : <WholeToolkit name={name} told={told} />}
        {list.ok ? (
          <Versions state={state} items={list.value.items} reviewed={reviewed} />
        ) : (
          <Refused failure={failureOf(list)} />
        )}
        {list.value.next_cursor === undefined ? undefined : (
          <p>
            <a class="button" rel="next" href={hrefOf({ ...asked, cursor: list.value.next_cursor })}>
              More versions
            </a>
          </p>
        )}
      </>
    ),
  }
}

function Held({ id, status }: NonNullable<Ended['held']>) {
  const [toolkit = ''] = id.split('.')
  return (
    <Notice isProblem>
      <p>
        <strong>It stays {status}</strong>, since all of its toolkit is: what was said of it counts once{' '}
        <a href={`${PATH}?${new URLSearchParams({ status, toolkit })}#toolkit`}>the toolkit</a> lets it.
      </p>
    </Notice>
  )
}

interface VersionsProps {
  readonly state: State
  readonly items: readonly ListedTool[]
  /** Of those that are pending. */
  readonly reviewed: readonly ToReview[] | undefined
}

function Versions({ state, items, reviewed }: VersionsProps) {
  if (items.length === 0) {
    return (
      <Notice>
        {state === 'pending' ? 'None that you may publish waits for review.' : `None that you may publish is ${state}.`}
      </Notice>
    )
  }
  if (reviewed) {
    return (
      <ul class="cards whole" aria-label="Versions">
        {reviewed.map((each) => (
          <li>
            <h2>
              <a href={`/console/tools/${encodeURIComponent(each.tool.id)}`}>{each.tool.id}</a>
            </h2>
            <Review {...each} />
            <Change id={each.tool.id} state={state} />
          </li>
        ))}
      </ul>
    )
  }
  return (
    <ul class="cards" aria-label="Versions">
      {items.map((tool) => (
        <li>
          <a href={`/console/tools/${encodeURIComponent(tool.id)}`}>{tool.id}</a>
          <p>{beginningOf(tool)}</p>
          <Change id={tool.id} state={state} />
        </li>
      ))}
    </ul>
  )
}

/** What gives a version another status: it is opened first, and then pressed, so nothing changes by a slip. */
function Change({ id, state }: { id: string; state: State }) {
  return (
    <details>
      <summary aria-label={`Change the status of ${id}`}>Change…</summary>
      <form method="post">
        <input type="hidden" name="id" value={exact(id)} />
        {SAID_STATES.filter((to) => to !== state && to !== 'deprecated').map((to) => (
          <button class={to === 'active' ? 'go' : 'danger'} name="to" value={to}>
            {WORDS[to].button}
          </button>
        ))}
      </form>
      {state === 'deprecated' ? undefined : (
        <form method="post">
          <input type="hidden" name="id" value={exact(id)} />
          <label>
            Why <span class="note">callers read it</span>
            <input name="message" maxlength={1_000} autocomplete="off" />
          </label>
          <label>
            What to call instead <span class="note">the id of a tool</span>
            <input name="successor" maxlength={200} autocomplete="off" />
          </label>
          <button class="danger" name="to" value="deprecated">
            {WORDS.deprecated.button}
          </button>
        </form>
      )}
    </details>
  )
}
