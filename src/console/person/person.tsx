import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { toHolder } from '../../core/access/holder.ts'
import { hasScope } from '../../core/access/principal.ts'
import type { PageModule, PageContext, Reply, View } from '../page-context.ts'
import { ConfirmForm, type ConfirmFormProps, FailureNotice, Notice, TextField } from '../parts.tsx'
import { paginate } from '../pagination.ts'
import { buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'

/** Rows per page. */
const PAGE_SIZE = 30
export const PEOPLE_PATH = '/console/people'

/** Returns the user whose items a page shows: the one in the URL, or else the visitor. */
export function getShownUser({ url, principal }: PageContext): string {
  return url.searchParams.get('user')?.trim() || toHolder(principal).id
}

export function UserChoice({ context }: { context: PageContext }) {
  const { users } = context.principal
  const isAdmin = hasScope(context.principal, 'admin')
  return (
    <>
      {isAdmin && (
        <p>
          <a href={PEOPLE_PATH}>Everybody's accounts, agents and sessions</a>
        </p>
      )}
      {(users === 'any' || users.length > 1) && <UserForm value={getShownUser(context)} />}
    </>
  )
}

export function UserForm({ value }: { value: string }) {
  return (
    <form class="row" method="get">
      <TextField label="Person" name="user" value={value} maxlength={256} autocomplete="off" />
      <button>Show</button>
    </form>
  )
}

/** A person's items of one kind: accounts, agents or sessions. */
export interface AccessPage<T> {
  readonly title: string
  readonly path: string
  readonly renderIntro: (context: PageContext) => Child
  readonly emptyMessage: string
  readonly doneMessage: string
  readonly load: (context: PageContext) => Promise<Reply<{ readonly items: readonly T[] }>>
  /** Revokes, checks or connects the form's item, and returns the next path, if any; undefined if the form has no item. */
  readonly revoke: (context: PageContext) => Promise<Reply<string | undefined>> | undefined
  readonly columns: (context: PageContext) => readonly Column<T>[]
  /** Renders a form whose fields are also passed to `revoke`. */
  readonly renderCheck?: (item: T, action: string) => Child
  readonly revokeForm: (item: T) => Omit<ConfirmFormProps, 'action'>
  /** Returns undefined if there is nothing to revoke together. */
  readonly revokeAll: (items: readonly T[], context: PageContext) => { label: string; question: string } | undefined
  /** For routes that list the newest item last. */
  readonly isReversed?: true
}

export function createAccessPage<T>(page: AccessPage<T>): Required<PageModule> & {
  /** Renders the items as a part of a page about the person. */
  readonly renderPart: (context: PageContext, items: readonly T[], mayRevoke: boolean) => JSX.Element
} {
  return {
    async show(context) {
      return renderView(context, context.url.searchParams.has('done') ? <Notice>{page.doneMessage}</Notice> : undefined)
    },
    async submit(context) {
      const reply = await page.revoke(context)
      if (!reply?.ok)
        return renderView(context, reply && <FailureNotice failure={reply.failure} />, reply?.status ?? 400)
      if (typeof reply.value === 'string') return { redirectTo: reply.value }
      const { url } = context
      const query = buildQuery({ user: url.searchParams.get('user') ?? undefined, done: '1' })
      return { redirectTo: `${url.searchParams.has('people') ? PEOPLE_PATH : page.path}?${query}` }
    },
    renderPart: (context, items, mayRevoke) => (
      <>
        <h2>{page.title}</h2>
        {renderItems(items, context, { mayRevoke })}
      </>
    ),
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
          {list.ok ? renderItems(list.value.items, context) : <FailureNotice failure={list.failure} />}
        </>
      ),
    }
  }

  function renderItems(allItems: readonly T[], context: PageContext, part?: { readonly mayRevoke: boolean }) {
    if (allItems.length === 0) return part ? <p class="note">None</p> : <Notice>{page.emptyMessage}</Notice>
    const { url } = context
    const user = url.searchParams.get('user')
    const action = `${page.path}?${buildQuery({ user: user ?? undefined, people: part && '1' })}`
    const ordered = page.isReversed ? allItems.toReversed() : allItems
    const rows = part ? { items: ordered.slice(0, PAGE_SIZE) } : paginate(context, ordered, PAGE_SIZE)
    const all = part ? undefined : page.revokeAll(allItems, context)
    const revoke: Column<T> = {
      title: 'Action',
      isAction: true,
      cell: (item) => [page.renderCheck?.(item, action), <ConfirmForm {...page.revokeForm(item)} action={action} />],
    }
    const rest = part ? allItems.length - rows.items.length : 0
    const columns = [...page.columns(context), ...(part?.mayRevoke === false ? [] : [revoke])]
    return (
      <>
        <Table label={page.title} columns={columns} {...rows} />
        {rest > 0 && <p class="note">And {String(rest)} more</p>}
        {all && (
          <p>
            <ConfirmForm id="all" {...all} action={action}>
              <input type="hidden" name="all" value="1" />
            </ConfirmForm>
          </p>
        )}
      </>
    )
  }
}
