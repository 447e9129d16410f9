import type { Child } from 'hono/jsx'
import { userOf } from '../../core/access/principal.ts'
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { PageResult, Reply, View, PageVisit } from '../page.ts'
import { exact, Notice, FailureNotice } from '../parts.tsx'

/** Whose things a page shows: who is named in its query, or whoever opens it. */
export function shownUser({ url, principal }: PageVisit): string {
  return url.searchParams.get('user')?.trim() || userOf(principal)
}

/** Where a form leads back to that ended something: the page, for the same user, which then says so. */
function doneAt({ url }: PageVisit): string {
  const query = new URLSearchParams([...url.searchParams].filter(([name]) => name === 'user'))
  query.set('done', '1')
  return `${url.pathname}?${query}`
}

/** Lets whoever may act for several users choose one. */
export function Whose({ visit }: { visit: PageVisit }) {
  const { users } = visit.principal
  if (users !== 'any' && users.length < 2) return undefined
  return (
    <form class="row" method="get">
      <label>
        Of the user
        <input name="user" value={exact(shownUser(visit))} maxlength={256} required autocomplete="off" />
      </label>
      <button>Show</button>
    </form>
  )
}

/** What ends something: it is opened first, and then pressed, so nothing ends by a slip. */
export function Ending({ label, children }: { label: string; children?: Child }) {
  return (
    <details>
      <summary>{label}…</summary>
      <form method="post">{children}</form>
    </details>
  )
}

/** Makes the page of a list of things that a person can end: it says how the last form ended. */
export function endingPage(
  view: (visit: PageVisit, result: JSX.Element | undefined, status?: number) => Promise<View>,
  done: string,
  end: (visit: PageVisit) => Promise<Reply<unknown>> | undefined,
) {
  return {
    show(visit: PageVisit): Promise<View> {
      return view(visit, visit.url.searchParams.has('done') ? <Notice>{done}</Notice> : undefined)
    },
    async act(visit: PageVisit): Promise<PageResult> {
      const ended = await end(visit)
      if (ended?.ok) return { redirectTo: doneAt(visit) }
      return view(visit, ended && <FailureNotice failure={ended.failure} />, ended?.status ?? 400)
    },
  }
}
