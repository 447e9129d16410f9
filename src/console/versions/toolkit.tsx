import { hasScope } from '../../core/access/principal.ts'
import type { SAID_STATES } from '../../core/tool/version.ts'
import type { Reply, Visit } from '../page.ts'
import { exact } from '../parts.tsx'

/** As `GET /toolkits/{toolkit}` tells it, to administrators. */
interface Told {
  readonly toolkit: string
  readonly status: string
  readonly message?: string
  readonly review: boolean
}

type ToldToolkit = Reply<Told>

/** Sets what a form says of a toolkit: its status, or whether it asks for review. */
export function changeToolkit(visit: Visit): Promise<Reply<unknown>> {
  const { form } = visit
  const [to = '', review] = [form.get('to') ?? '', form.get('review')]
  const change = review === null ? { status: to } : { review: review === '1' }
  return visit.ask('PATCH', `/toolkits/${encodeURIComponent(form.get('toolkit_name') ?? '')}`, change)
}

/** Reads how a toolkit stands, for whom that is to know. */
export async function readToolkit(visit: Visit, name: string): Promise<ToldToolkit | undefined> {
  return hasScope(visit.principal, 'admin') ? visit.ask('GET', `/toolkits/${encodeURIComponent(name)}`) : undefined
}

/** A toolkit as it stands, where that may be read, and what gives it another status: it is opened first, and then pressed. */
export function WholeToolkit({ name, told }: { name: string; told: ToldToolkit | undefined }) {
  const { status, message, review } = told?.ok ? told.value : {}
  return (
    <section class="panel" aria-labelledby="toolkit">
      <h2 id="toolkit">All of {name}</h2>
      <p>
        {status === undefined ? undefined : (
          <>
            The toolkit is {status}
            {message ? `: ${message}` : ''}.{' '}
          </>
        )}
        What is said of it holds for each of its versions too, and the stricter counts.
      </p>
      <details>
        <summary>Change all of it…</summary>
        <form method="post">
          <input type="hidden" name="toolkit_name" value={exact(name)} />
          {BUTTONS.filter(([to]) => to !== status).map(([to, words]) => (
            <button class={to === 'active' ? 'go' : 'danger'} name="to" value={to}>
              {words}
            </button>
          ))}
        </form>
        <form method="post">
          <input type="hidden" name="toolkit_name" value={exact(name)} />
          {review === true ? undefined : (
            <button name="review" value="1">
              Have what others publish in it reviewed
            </button>
          )}
          {review === false ? undefined : (
            <button class="danger" name="review" value="0">
              Ask for review no longer
            </button>
          )}
        </form>
      </details>
    </section>
  )
}

/** What is pressed to give a toolkit a status. */
const BUTTONS: readonly (readonly [to: (typeof SAID_STATES)[number], words: string])[] = [
  ['active', 'Activate it'],
  ['yanked', 'Yank it'],
  ['disabled', 'Disable it'],
]
