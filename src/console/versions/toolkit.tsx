import type { SETTABLE_STATES } from '../../core/tool/version.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageContext, Reply } from '../page-context.ts'
import { exact } from '../parts.tsx'

type ToolkitReply = Reply<ApiAnswers['GET /toolkits/:toolkit']>

export function submitToolkitForm({ form, fetchRoute }: PageContext): Promise<ToolkitReply> {
  const review = form.get('review')
  const body = review === null ? { status: form.get('to') ?? '' } : { review: review === '1' }
  return fetchRoute('PATCH /toolkits/:toolkit', { toolkit: form.get('toolkit_name') ?? '', body })
}

/** Shows a toolkit and its buttons, which must be opened first, to prevent accidental changes. */
export function ToolkitPanel({ name, reply }: { name: string; reply: ToolkitReply | undefined }) {
  const { status, message, review }: { status?: string; message?: string; review?: boolean } = reply?.ok
    ? reply.value
    : {}
  return (
    <section class="panel" aria-labelledby="toolkit">
      <h2 id="toolkit">Toolkit {name}</h2>
      <p>
        {status === undefined ? undefined : (
          <>
            The toolkit is {status}
            {message ? `: ${message}` : ''}.{' '}
          </>
        )}
        Its status applies to all of its versions; the stricter status counts.
      </p>
      <details>
        <summary>Change toolkit</summary>
        <form method="post">
          <input type="hidden" name="toolkit_name" value={exact(name)} />
          <StatusButtons current={status} />
        </form>
        <form method="post">
          <input type="hidden" name="toolkit_name" value={exact(name)} />
          {review === true ? undefined : (
            <button name="review" value="1">
              Require review of new versions
            </button>
          )}
          {review === false ? undefined : (
            <button class="danger" name="review" value="0">
              Stop requiring review
            </button>
          )}
        </form>
      </details>
    </section>
  )
}

const BUTTONS: readonly (readonly [to: (typeof SETTABLE_STATES)[number], words: string])[] = [
  ['active', 'Activate'],
  ['yanked', 'Yank'],
  ['disabled', 'Disable'],
]

export function StatusButtons({ current }: { current: string | undefined }) {
  return (
    <>
      {BUTTONS.filter(([to]) => to !== current).map(([to, label]) => (
        <button class={to === 'active' ? 'go' : 'danger'} name="to" value={to}>
          {label}
        </button>
      ))}
    </>
  )
}
