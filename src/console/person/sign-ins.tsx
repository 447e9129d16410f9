import { hasScope } from '../../core/access/principal.ts'
import { Ending, Facts, Time } from '../parts.tsx'
import { endingPage } from './person.tsx'

export const { show, act } = endingPage({
  title: 'Sign-ins',
  none: 'Nobody is signed in in a browser.',
  done: 'It is ended: here at once, and everywhere within a minute.',
  isReversed: true,
  most: 200,
  read: (visit) => visit.ask('GET /sessions'),
  end(visit) {
    const id = visit.form.get('id')
    return id === null ? undefined : visit.ask('DELETE /sessions/:id', { id })
  },
  intro: ({ principal }) => (
    <p>
      Browsers in which {hasScope(principal, 'admin') ? 'people' : 'you'} are signed in. A sign-in ends by itself after
      12 hours. Agents are no part of it: they are <a href="/console/agents">ended by themselves</a>.
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
            Browser: browser || 'It did not say',
            Since: isAdmin ? since : undefined,
            Until: <Time at={expires_at} />,
            At: <code>{origin}</code>,
          }}
        />
        <Ending label="End it">
          <input type="hidden" name="id" value={id} />
          <button class="danger">Sign this browser out</button>
        </Ending>
      </>
    )
  },
})
