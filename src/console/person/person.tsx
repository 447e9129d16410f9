import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { toHolder } from '../../core/access/holder.ts'
import type { PageModule, PageContext, Reply, View } from '../page-context.ts'
import { FailureNotice, FoldedForm, NextLink, Notice, TextField } from '../parts.tsx'
import { paginate } from '../pagination.ts'

/** Cards on a page. */
const PAGE_SIZE = 30

/** The user whose items a page shows: the one in the URL, else the visitor. */
export function getShownUser({ url, principal }: PageContext): string {
  return url.searchParams.get('user')?.trim() || toHolder(principal).id
}

export function UserChoice({ context }: { context: PageContext }) {
  const { users } = context.principal
  if (users !== 'any' && users.length < 2) return undefined
  return (
    <form class="row" method="get">
      <TextField label="User" name="user" value={getShownUser(context)} maxlength={256} required autocomplete="off" />
      <button>Show</button>
    </form>
  )
}

interface RevocationPage<T> {
  readonly title: string
  readonly renderIntro: (context: PageContext) => Child
  readonly emptyMessage: string
  readonly doneMessage: string
  readonly load: (context: PageContext) => Promise<Reply<{ readonly items: readonly T[] }>>
  /** Revokes what the form names; undefined if it names nothing. */
  readonly revoke: (context: PageContext) => Promise<Reply<unknown>> | undefined
  readonly renderCard: (item: T, context: PageContext) => Child
  readonly revokeAll?: { readonly label: string; readonly button: (count: number) => string }
  /** For routes that list the newest item last. */
  readonly isReversed?: true
}

export function createRevocationPage<T>(page: RevocationPage<T>): Required<PageModule> {
  return {
    async show(context) {
      return renderView(context, context.url.searchParams.has('done') ? <Notice>{page.doneMessage}</Notice> : undefined)
    },
    async submit(context) {
      const reply = await page.revoke(context)
      if (!reply?.ok)
        return renderView(context, reply && <FailureNotice failure={reply.failure} />, reply?.status ?? 400)
      const { url } = context
      const query = new URLSearchParams([...url.searchParams].filter(([name]) => name === 'user'))
      query.set('done', '1')
      return { redirectTo: `${url.pathname}?${query}` }
    },
  }

  async function renderView(context: PageContext, result: JSX.Element | undefined, status = 200): Promise<View> {
    const list = await page.load(context)
    return {
      title: page.title,
      status: list.ok ? status : list.status,
      content: (
        <>
          {result}
          {page.renderIntro(context)}
          {list.ok ? renderCards(list.value.items, context) : <FailureNotice failure={list.failure} />}
        </>
      ),
    }
  }

  function renderCards(allItems: readonly T[], context: PageContext) {
    const { emptyMessage, renderCard, revokeAll, isReversed } = page
    if (allItems.length === 0) return <Notice>{emptyMessage}</Notice>
    const { items, nextPage } = paginate(context, isReversed ? allItems.toReversed() : allItems, PAGE_SIZE)
    return (
      <>
        <ul class="cards" role="list">
          {items.map((item) => (
            <li>{renderCard(item, context)}</li>
          ))}
        </ul>
        {nextPage && <NextLink {...nextPage} />}
        {revokeAll === undefined || allItems.length < 2 ? undefined : (
          <FoldedForm label={`${revokeAll.label}…`}>
            <button class="danger" name="all" value="1">
              {revokeAll.button(allItems.length)}
            </button>
          </FoldedForm>
        )}
      </>
    )
  }
}
