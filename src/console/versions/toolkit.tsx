import type { SAID_STATES } from '../../core/tool/version.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageVisit, Reply } from '../visit.ts'
import { exact } from '../parts.tsx'

type ToolkitReply = Reply<ApiAnswers['GET /toolkits/:toolkit']>

export function changeToolkit({ form, ask }: PageVisit): Promise<ToolkitReply> {
  const review = form.get('review')
  const body = review === null ? { status: form.get('to') ?? '' } : { review: review === '1' }
  return ask('PATCH /toolkits/:toolkit', { toolkit: form.get('toolkit_name') ?? '', body })
}

/** A toolkit, and its buttons: they are opened first, and then pressed, so nothing changes by a slip. */
export function WholeToolkit({ name, reply }: { name: string; reply: ToolkitReply | undefined }) {
  const { status, message, review }: { status?: string; message?: string; review?: boolean } = reply?.ok
    ? reply.value
    : {}
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

const BUTTONS: readonly (readonly [to: (typeof SAID_STATES)[number], words: string])[] = [
  ['active', 'Activate it'],
  ['yanked', 'Yank it'],
  ['disabled', 'Disable it'],
]
