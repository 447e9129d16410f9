import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Reply, View, Visit } from '../page.ts'
import { Notice, Refused, Time } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { Ending, endingPage, shownUser, Whose } from './person.tsx'

/** As `GET /users/{user}/agents` lists one. */
interface ListedAgent {
  readonly id: string
  readonly principal: string
  readonly client: { readonly name: string; readonly host: string }
  readonly toolkits: readonly string[]
  readonly created_at: string
  readonly expires_at: string
  readonly used_at?: string
}

/** The agents that somebody let act for them: what each may use, since when, and when it last did. */
export const { show, act } = endingPage(view, 'It is ended: here at once, and everywhere within a minute.', (visit) => {
  const id = visit.form.get('id')
  if (id !== null) return visit.ask('DELETE', `${pathOf(visit)}/${encodeURIComponent(id)}`)
  return visit.form.has('all') ? visit.ask('DELETE', pathOf(visit)) : undefined
})

function pathOf(visit: Visit): string {
  return `/users/${encodeURIComponent(shownUser(visit))}/agents`
}

async function view(visit: Visit, said: JSX.Element | undefined, status = 200): Promise<View> {
  const list = await visit.ask<{ items: readonly ListedAgent[] }>('GET', pathOf(visit))
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

function Agents({ list }: { list: Reply<{ items: readonly ListedAgent[] }> }) {
  if (!list.ok) return <Refused failure={failureOf(list)} />
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

function Agent({ id, client, toolkits, created_at, expires_at, used_at }: ListedAgent) {
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
