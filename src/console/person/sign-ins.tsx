import { hasScope } from '../../core/access/principal.ts'
import { Facts, FoldedForm, Time } from '../parts.tsx'
import { createRevocationPage } from './person.tsx'

export const { show, submit } = createRevocationPage({
  title: 'Sessions',
  emptyMessage: 'No sessions.',
  doneMessage: 'Session ended. It is signed out everywhere within a minute.',
  isReversed: true,
  load: (context) => context.fetchRoute('GET /sessions'),
  revoke(context) {
    const id = context.form.get('id')
    return id === null ? undefined : context.fetchRoute('DELETE /sessions/:id', { id })
  },
  renderIntro: ({ principal }) => (
    <p>
      Browsers in which {hasScope(principal, 'admin') ? 'people' : 'you'} are signed in. A session expires after 12
      hours. <a href="/console/agents">Agents</a> are disconnected separately.
    </p>
  ),
  renderCard({ id, principal, origin, browser, created_at, expires_at }, context) {
    const since = <Time at={created_at} />
    const isAdmin = hasScope(context.principal, 'admin')
    return (
      <>
        <h2>{isAdmin ? principal : since}</h2>
        <Facts
          facts={{
            Browser: browser || 'Unknown',
            Started: isAdmin ? since : undefined,
            Expires: <Time at={expires_at} />,
            Address: <code>{origin}</code>,
          }}
        />
        <FoldedForm label="End session…">
          <input type="hidden" name="id" value={id} />
          <button class="danger">End session</button>
        </FoldedForm>
      </>
    )
  },
})
