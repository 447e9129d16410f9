import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageVisit, Reply, View } from '../page.ts'
import { exact, Notice, FailureNotice, Time } from '../parts.tsx'
import { Ending, endingPage, shownUser, Whose } from './person.tsx'

/** The accounts elsewhere that somebody lets tools use, and which toolkits may. */
export const { show, act } = endingPage(view, 'It is taken back. A tool that needs it asks again.', (visit) => {
  const user = shownUser(visit)
  if (visit.form.has('all')) return visit.ask('DELETE /users/:user/grants', { user })
  const [provider, account, toolkit] = ['provider', 'account', 'toolkit'].map((name) => visit.form.get(name))
  if (!provider) return undefined
  const query = new URLSearchParams({ account: account ?? '', ...(toolkit ? { toolkit } : {}) })
  return visit.ask('DELETE /users/:user/grants/:provider', { user, provider, query })
})

async function view(visit: PageVisit, said: JSX.Element | undefined, status = 200): Promise<View> {
  const list = await visit.ask('GET /users/:user/grants', { user: shownUser(visit) })
  return {
    title: 'Accounts',
    status: list.ok ? status : list.status,
    content: (
      <>
        {said}
        <p>
          Accounts at other services that a person lets tools use in their name. Tokens are kept encrypted, and shown to
          nobody.
        </p>
        <Whose visit={visit} />
        <Grants list={list} />
      </>
    ),
  }
}

function Grants({ list }: { list: Reply<ApiAnswers['GET /users/:user/grants']> }) {
  if (!list.ok) return <FailureNotice failure={list.failure} />
  const { items } = list.value
  if (items.length === 0) {
    return (
      <Notice>None so far. A tool that needs an account answers its first call with a link to a page that asks.</Notice>
    )
  }
  return (
    <>
      <ul class="cards" role="list">
        {items.map((grant) => (
          <li>
            <Grant {...grant} />
          </li>
        ))}
      </ul>
      {items.length < 2 ? undefined : (
        <Ending label="Take all of them back">
          <button class="danger" name="all" value="1">
            Take all {String(items.length)} accounts back now
          </button>
        </Ending>
      )}
    </>
  )
}

function Grant({
  provider,
  account,
  scopes,
  toolkits,
  granted_at,
  expires_at,
  refreshable,
}: ApiAnswers['GET /users/:user/grants']['items'][number]) {
  return (
    <>
      <h2>
        {provider}
        {account === '' ? undefined : `, ${account}`}
      </h2>
      <dl>
        <dt>Allows</dt>
        <dd>
          {scopes.length === 0
            ? 'no scope in particular'
            : scopes.map((scope) => (
                <>
                  <code>{scope}</code>{' '}
                </>
              ))}
        </dd>
        <dt>Used by</dt>
        <dd>
          {toolkits.length === 0
            ? 'no toolkit'
            : toolkits.map(({ toolkit, hosts }) => (
                <div>
                  <a href={`/?${new URLSearchParams({ toolkit })}`}>{toolkit}</a>
                  {hosts.length === 0 ? undefined : <span class="note">, which sends it to {hosts.join(', ')}</span>}
                </div>
              ))}
        </dd>
        <dt>Since</dt>
        <dd>
          <Time at={granted_at} />
        </dd>
        {expires_at && !refreshable ? (
          <>
            <dt>Until</dt>
            <dd>
              <Time at={expires_at} />, and is asked for again then
            </dd>
          </>
        ) : undefined}
      </dl>
      <Ending label="Take it back">
        <input type="hidden" name="provider" value={provider} />
        <input type="hidden" name="account" value={exact(account)} />
        {toolkits.length < 2
          ? undefined
          : toolkits.map(({ toolkit }) => (
              <button class="danger" name="toolkit" value={toolkit}>
                From {toolkit} alone
              </button>
            ))}
        <button class="danger">
          Take {provider} back{toolkits.length < 2 ? undefined : ' from all'}
        </button>
      </Ending>
    </>
  )
}
