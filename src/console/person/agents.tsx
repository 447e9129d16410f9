import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageVisit, Reply, View } from '../page.ts'
import { Notice, FailureNotice, Time } from '../parts.tsx'
import { Ending, endingPage, shownUser, Whose } from './person.tsx'

/** The agents that somebody let act for them: what each may use, since when, and when it last did. */
export const { show, act } = endingPage(view, 'It is ended: here at once, and everywhere within a minute.', (visit) => {
  const [user, id] = [shownUser(visit), visit.form.get('id')]
  if (id !== null) return visit.ask('DELETE /users/:user/agents/:id', { user, id })
  return visit.form.has('all') ? visit.ask('DELETE /users/:user/agents', { user }) : undefined
})

async function view(visit: PageVisit, said: JSX.Element | undefined, status = 200): Promise<View> {
  const list = await visit.ask('GET /users/:user/agents', { user: shownUser(visit) })
  return {
    title: 'Connected agents',
    status: list.ok ? status : list.status,
    content: (
      <>
        {said}
        <p>
          Programs that were let use tools in a person's name, at <code>{visit.url.origin}/connect/mcp</code>. None may
          do more than that person. <a href="/docs/connect">How an agent is connected</a>
        </p>
        <Whose visit={visit} />
        <Agents list={list} />
      </>
    ),
  }
}

function Agents({ list }: { list: Reply<ApiAnswers['GET /users/:user/agents']> }) {
  if (!list.ok) return <FailureNotice failure={list.failure} />
  const items = list.value.items.toReversed()
  if (items.length === 0) return <Notice>No agent is connected.</Notice>
  return (
    <>
      <ul class="cards" role="list">
        {items.map((agent) => (
          <li>
            <Agent {...agent} />
          </li>
        ))}
      </ul>
      {items.length < 2 ? undefined : (
        <Ending label="End all of them">
          <button class="danger" name="all" value="1">
            End all {String(items.length)} agents now
          </button>
        </Ending>
      )}
    </>
  )
}

function Agent({
  id,
  client,
  toolkits,
  created_at,
  expires_at,
  used_at,
}: ApiAnswers['GET /users/:user/agents']['items'][number]) {
  return (
    <>
      <h2>{client.name}</h2>
      <dl>
        <dt>May use</dt>
        <dd>{toolkits.join(', ')}</dd>
        <dt>Goes back to</dt>
        <dd>
          <code>{client.host}</code>
        </dd>
        <dt>Since</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        <dt>Last used</dt>
        <dd>{used_at === undefined ? 'never' : <Time at={used_at} />}</dd>
        <dt>Until</dt>
        <dd>
          <Time at={expires_at} />
        </dd>
      </dl>
      <Ending label="End it">
        <input type="hidden" name="id" value={id} />
        <button class="danger">End {client.name} now</button>
      </Ending>
    </>
  )
}
