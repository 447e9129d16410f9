import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { toHolder } from '../../core/access/holder.ts'
import type { PageModule, PageContext, Reply, View } from '../visit.ts'
import { FailureNotice, FoldedForm, NextLink, Notice, TextField } from '../parts.tsx'
import { paginate } from '../portion.ts'

/** In cards, of a page. */
const MOST = 30

/** The user whose things a page shows: the one that its address names, or the visitor. */
export function shownUser({ url, principal }: PageContext): string {
  return url.searchParams.get('user')?.trim() || toHolder(principal).id
}

export function UserChoice({ visit }: { visit: PageContext }) {
  const { users } = visit.principal
  if (users !== 'any' && users.length < 2) return undefined
  return (
    <form class="row" method="get">
      <TextField label="User" name="user" value={shownUser(visit)} maxlength={256} required autocomplete="off" />
      <button>Show</button>
    </form>
  )
}

interface EndingPage<T> {
  readonly title: string
  readonly intro: (visit: PageContext) => Child
  readonly none: string
  readonly done: string
  readonly read: (visit: PageContext) => Promise<Reply<{ readonly items: readonly T[] }>>
  /** Ends what a form names; undefined where it names nothing. */
  readonly end: (visit: PageContext) => Promise<Reply<unknown>> | undefined
  readonly card: (item: T, visit: PageContext) => Child
  readonly endAll?: { readonly label: string; readonly button: (count: number) => string }
  /** For routes that list the newest last. */
  readonly isReversed?: true
}

export function endingPage<T>(page: EndingPage<T>): Required<PageModule> {
  return {
    async show(visit) {
      return view(visit, visit.url.searchParams.has('done') ? <Notice>{page.done}</Notice> : undefined)
    },
    async act(visit) {
      const ended = await page.end(visit)
      if (!ended?.ok) return view(visit, ended && <FailureNotice failure={ended.failure} />, ended?.status ?? 400)
      const { url } = visit
      const query = new URLSearchParams([...url.searchParams].filter(([name]) => name === 'user'))
      query.set('done', '1')
      return { redirectTo: `${url.pathname}?${query}` }
    },
  }

  async function view(visit: PageContext, result: JSX.Element | undefined, status = 200): Promise<View> {
    const list = await page.read(visit)
    return {
      title: page.title,
      status: list.ok ? status : list.status,
      content: (
        <>
          {result}
          {page.intro(visit)}
          {list.ok ? cards(list.value.items, visit) : <FailureNotice failure={list.failure} />}
        </>
      ),
    }
  }

  function cards(all: readonly T[], visit: PageContext) {
    const { none, card, endAll, isReversed } = page
    if (all.length === 0) return <Notice>{none}</Notice>
    const { items, more } = paginate(visit, isReversed ? all.toReversed() : all, MOST)
    return (
      <>
        <ul class="cards" role="list">
          {items.map((item) => (
            <li>{card(item, visit)}</li>
          ))}
        </ul>
        {more && <NextLink {...more} />}
        {endAll === undefined || all.length < 2 ? undefined : (
          <FoldedForm label={`${endAll.label}…`}>
            <button class="danger" name="all" value="1">
              {endAll.button(all.length)}
            </button>
          </FoldedForm>
        )}
      </>
    )
  }
}
