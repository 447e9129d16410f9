import { hasScope } from '../../core/access/principal.ts'
import { formatCaller } from '../calls/callers.ts'
import { Time } from '../parts.tsx'
import { buildQuery } from '../query.ts'
import { formatBrowser } from './browser.ts'
import { createAccessPage, UserForm } from './person.tsx'

export const { show, submit, renderPart } = createAccessPage({
  title: 'Sessions',
  path: '/console/sign-ins',
  emptyMessage: 'No sessions.',
  doneMessage: 'Session ended. It is signed out everywhere within a minute.',
  isReversed: true,
  load(context) {
    const query = buildQuery({ user_id: context.url.searchParams.get('user')?.trim() })
    return context.fetchRoute('GET /sessions', { query })
  },
  revoke(context) {
    const id = context.form.get('id')
    if (id !== null) return context.fetchRoute('DELETE /sessions/:id', { id })
    return context.form.has('all') ? context.fetchRoute('DELETE /sessions') : undefined
  },
  renderIntro: (context) => (
    <>
      <p>
        Browsers in which {hasScope(context.principal, 'admin') ? 'people' : 'you'} are signed in. A session expires
        after 12 hours. <a href="/console/agents">Agents</a> are disconnected separately.
      </p>
      {hasScope(context.principal, 'admin') && <UserForm value={context.url.searchParams.get('user') ?? ''} />}
    </>
  ),
  columns: ({ principal: visitor, url }) => [
    {
      title: 'Browser',
      isName: true,
      cell: ({ browser, current }) => (
        <span title={browser}>
          {formatBrowser(browser)}
          {current && ', this browser'}
        </span>
      ),
    },
    ...(hasScope(visitor, 'admin') && !url.searchParams.get('user')
      ? [{ title: 'Person', cell: ({ principal }: { principal: string }) => formatCaller({ principal }) }]
      : []),
    { title: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  ],
  revokeForm: ({ id, current, browser }) => ({
    id: `session-${id}`,
    label: 'End',
    name: current ? 'End this session' : `End the session of ${formatBrowser(browser)}`,
    question: current ? 'You are signed out in this browser.' : 'It is signed out everywhere within a minute.',
    children: <input type="hidden" name="id" value={id} />,
  }),
  revokeAll(items, { principal: visitor }) {
    if (!items.some(({ principal, current }) => principal === visitor.id && !current)) return undefined
    const label = hasScope(visitor, 'admin') ? 'End all my other sessions' : 'End all others'
    return { label, question: 'You stay signed in only in this browser.' }
  },
})
