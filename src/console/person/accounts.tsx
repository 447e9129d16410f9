import { Ending, exact, Facts, Time } from '../parts.tsx'
import { endingPage, shownUser, UserChoice } from './person.tsx'

export const { show, act } = endingPage({
  title: 'Accounts',
  none: 'None so far. A tool that needs an account answers its first call with a link to a page that asks.',
  done: 'It is taken back. A tool that needs it asks again.',
  endAll: { label: 'Take all of them back', button: (count) => `Take all ${count} accounts back now` },
  read: (visit) => visit.ask('GET /users/:user/grants', { user: shownUser(visit) }),
  end(visit) {
    const user = shownUser(visit)
    if (visit.form.has('all')) return visit.ask('DELETE /users/:user/grants', { user })
    const [provider, account, toolkit] = ['provider', 'account', 'toolkit'].map((name) => visit.form.get(name))
    if (!provider) return undefined
    const query = new URLSearchParams({ account: account ?? '', ...(toolkit ? { toolkit } : {}) })
    return visit.ask('DELETE /users/:user/grants/:provider', { user, provider, query })
  },
  intro: (visit) => (
    <>
      <p>
        Accounts at other services that a person lets tools use in their name. Tokens are kept encrypted, and shown to
        nobody.
      </p>
      <UserChoice visit={visit} />
    </>
  ),
  card({ provider, account, scopes, toolkits, granted_at, expires_at, refreshable }) {
    const allowed = scopes.map((scope) => (
      <>
        <code>{scope}</code>{' '}
      </>
    ))
    const users = toolkits.map(({ toolkit, hosts }) => (
      <div>
        <a href={`/?${new URLSearchParams({ toolkit })}`}>{toolkit}</a>
        {hosts.length === 0 ? undefined : <span class="note">, which sends it to {hosts.join(', ')}</span>}
      </div>
    ))
    const until = expires_at && !refreshable && (
      <>
        <Time at={expires_at} />, and is asked for again then
      </>
    )
    return (
      <>
        <h2>
          {provider}
          {account === '' ? undefined : `, ${account}`}
        </h2>
        <Facts
          facts={{
            'Allows': scopes.length === 0 ? 'no scope in particular' : allowed,
            'Used by': toolkits.length === 0 ? 'no toolkit' : users,
            'Since': <Time at={granted_at} />,
            'Until': until || undefined,
          }}
        />
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
  },
})
