import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../../api/answers.ts'
import { hasScope } from '../../core/access/principal.ts'
import type { PageVisit, Reply, View } from '../page.ts'
import { Notice, FailureNotice, Time } from '../parts.tsx'
import { Ending, endingPage } from './person.tsx'

/** So many are shown, the newest first: an administrator sees everybody's. */
const MOST = 200

/** The browsers in which somebody is signed in; for administrators, in which anybody is. */
export const { show, act } = endingPage(view, 'It is ended: here at once, and everywhere within a minute.', (visit) => {
  const id = visit.form.get('id')
  return id === null ? undefined : visit.ask('DELETE /sessions/:id', { id })
})

async function view(visit: PageVisit, said: JSX.Element | undefined, status = 200): Promise<View> {
  const list = await visit.ask('GET /sessions')
  const isAdmin = hasScope(visit.principal, 'admin')
  return {
    title: 'Sign-ins',
    status: list.ok ? status : list.status,
    content: (
      <>
        {said}
        <p>
          {isAdmin ? 'Browsers in which people are signed in.' : 'Browsers in which you are signed in.'} A sign-in ends
          by itself after 12 hours. Agents are no part of it: they are <a href="/console/agents">ended by themselves</a>
          .
        </p>
        <Sessions list={list} isAdmin={isAdmin} />
      </>
    ),
  }
}

function Sessions({ list, isAdmin }: { list: Reply<ApiAnswers['GET /sessions']>; isAdmin: boolean }) {
  if (!list.ok) return <FailureNotice failure={list.failure} />
  const all = list.value.items.toReversed()
  if (all.length === 0) return <Notice>Nobody is signed in in a browser.</Notice>
  return (
    <>
      <ul class="cards" role="list">
        {all.slice(0, MOST).map(({ id, principal, origin, browser, created_at, expires_at }) => (
          <li>
            <h2>{isAdmin ? principal : <Time at={created_at} />}</h2>
            <dl>
              <dt>Browser</dt>
              <dd>{browser === '' ? 'It did not say' : browser}</dd>
              {isAdmin ? (
                <>
                  <dt>Since</dt>
                  <dd>
                    <Time at={created_at} />
                  </dd>
                </>
              ) : undefined}
              <dt>Until</dt>
              <dd>
                <Time at={expires_at} />
              </dd>
              <dt>At</dt>
              <dd>
                <code>{origin}</code>
              </dd>
            </dl>
            <Ending label="End it">
              <input type="hidden" name="id" value={id} />
              <button class="danger">Sign this browser out</button>
            </Ending>
          </li>
        ))}
      </ul>
      {all.length <= MOST ? undefined : <p>{String(all.length - MOST)} older ones are not shown.</p>}
    </>
  )
}
