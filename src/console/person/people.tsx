import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../../api/answers.ts'
import { formatCount } from '../calls/chart.tsx'
import type { PageContext, PageResult, View } from '../page-context.ts'
import { mayActFor } from '../../core/access/principal.ts'
import { quoteName } from '../../http/page/text.ts'
import { ConfirmForm, FailureNotice, Notice, TextField, toReplyView } from '../parts.tsx'
import { buildQuery, readFilters } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { renderPart as renderAccounts } from './accounts.tsx'
import { renderPart as renderAgents } from './agents.tsx'
import { PEOPLE_PATH } from './person.tsx'
import { renderPart as renderSessions } from './sign-ins.tsx'

type UsersPage = ApiAnswers['GET /users']
type EndedAccess = ApiAnswers['DELETE /users/:user/access']

const PAGE_SIZE = '50'

export async function show(context: PageContext): Promise<PageResult> {
  const user = context.url.searchParams.get('user')
  if (user) {
    const isDone = context.url.searchParams.has('done')
    return renderPerson(context, user, isDone && <Notice>Done. It takes effect everywhere within a minute.</Notice>)
  }
  const { q, cursor } = readFilters(context, ['q', 'cursor'])
  const reply = await context.fetchRoute('GET /users', { query: buildQuery({ q, cursor, limit: PAGE_SIZE }) })
  return {
    title: 'People',
    content: (
      <>
        <p>
          Users with an account at another service, an agent, a session, or an API key that names them. Sessions of
          other keys are at <a href="/console/sign-ins">Sessions</a>.
        </p>
        <form class="row" method="get">
          <TextField label="Person" note="a part of the user ID" name="q" value={q} maxlength={256} />
          <button class="go">Show</button>
        </form>
        {reply.ok ? <UserTable {...reply.value} q={q} /> : <FailureNotice failure={reply.failure} />}
      </>
    ),
  }
}

export async function submit(context: PageContext): Promise<PageResult> {
  const user = context.url.searchParams.get('user')
  if (!user) return show(context)
  const reply = await context.fetchRoute('DELETE /users/:user/access', { user })
  if (reply.ok) return renderPerson(context, user, <EndedNotice {...reply.value} />)
  return { ...(await renderPerson(context, user, <FailureNotice failure={reply.failure} />)), status: reply.status }
}

const COLUMNS: readonly Column<UsersPage['items'][number]>[] = [
  {
    title: 'Person',
    isName: true,
    isLong: true,
    cell: ({ user_id }) => <a href={`${PEOPLE_PATH}?${buildQuery({ user: user_id })}`}>{user_id}</a>,
  },
  { title: 'Accounts', cell: ({ accounts }) => String(accounts) },
  { title: 'Agents', cell: ({ agents }) => String(agents) },
  { title: 'Sessions', cell: ({ sessions }) => String(sessions) },
  { title: 'API keys', cell: ({ keys }) => String(keys) },
]

function UserTable({ items, next_cursor, q }: UsersPage & { q: string | undefined }) {
  const query = next_cursor && buildQuery({ q, cursor: next_cursor })
  const nextPage = query ? { href: `${PEOPLE_PATH}?${query}`, label: 'Next people' } : undefined
  return <Table label="People" columns={COLUMNS} items={items} emptyMessage="No people found." nextPage={nextPage} />
}

async function renderPerson(context: PageContext, user: string, result: JSX.Element | false): Promise<View> {
  const [access, sessions] = await Promise.all([
    context.fetchRoute('GET /users/:user/access', { user }),
    context.fetchRoute('GET /sessions', { query: buildQuery({ user_id: user }) }),
  ])
  const mayRevoke = mayActFor(context.principal, user)
  return {
    title: user,
    trail: [{ text: 'People', href: PEOPLE_PATH }],
    content: (
      <>
        {result}
        <p>
          If this person leaves, first block them at your identity provider, or they can sign in again.{' '}
          <a href="/docs/sign-in#offboarding">When somebody leaves</a>
        </p>
        <ConfirmForm
          id="end"
          label="End all access"
          question={`${user} is signed out everywhere, agents are disconnected, accounts are revoked and deleted, and open requests are denied. API keys that name the user stay valid.`}
          action={`${PEOPLE_PATH}?${buildQuery({ user })}`}
        />
        {toReplyView(access, ({ accounts, agents, keys }) => (
          <>
            {renderAccounts(context, accounts, mayRevoke)}
            {renderAgents(context, agents, mayRevoke)}
            <h2>API keys that name this user</h2>
            <p>{keys.length === 0 ? <span class="note">None</span> : <KeyNames keys={keys} />}</p>
          </>
        ))}
        {toReplyView(sessions, ({ items }) => renderSessions(context, items, true))}
      </>
    ),
  }
}

function EndedNotice({ sessions, agents, accounts, authorizations, not_revoked, keys }: EndedAccess) {
  return (
    <Notice>
      <p>
        <strong>{keys.length === 0 ? 'All access ended.' : 'Access ended, except API keys.'}</strong>{' '}
        {formatCount(sessions, 'session')}, {formatCount(agents, 'agent')}, {formatCount(accounts, 'account')} and{' '}
        {formatCount(authorizations, 'open request')}. It takes effect everywhere within a minute.
      </p>
      {not_revoked.map(({ provider, account }) => (
        <p>
          {provider}
          {account && `, ${account}`}: deleted here, but the provider did not confirm the revocation. Revoke the access
          there too.
        </p>
      ))}
      {keys.length > 0 && (
        <p>
          Still valid: <KeyNames keys={keys} />. Revoke or change them.
        </p>
      )}
    </Notice>
  )
}

function KeyNames({ keys }: Pick<EndedAccess, 'keys'>) {
  return (
    <>
      {keys.map(({ name }) => quoteName(name)).join(', ')} at <a href="/console/keys">API keys</a>
    </>
  )
}
