import { hasScope } from '../../core/access/principal.ts'
import { Facts, FoldedForm, Time } from '../parts.tsx'
import { endingPage } from './person.tsx'

export const { show, act } = endingPage({
  title: 'Sessions',
  none: 'No sessions.',
  done: 'Session ended. It is signed out everywhere within a minute.',
  isReversed: true,
  read: (visit) => visit.fetchRoute('GET /sessions'),
  end(visit) {
    const id = visit.form.get('id')
    return id === null ? undefined : visit.fetchRoute('DELETE /sessions/:id', { id })
  },
  intro: ({ principal }) => (
    <p>
      Browsers in which {hasScope(principal, 'admin') ? 'people' : 'you'} are signed in. A session expires after 12
      hours. <a href="/console/agents">Agents</a> are disconnected separately.
    </p>
  ),
  card({ id, principal, origin, browser, created_at, expires_at }, visit) {
    const since = <Time at={created_at} />
    const isAdmin = hasScope(visit.principal, 'admin')
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
