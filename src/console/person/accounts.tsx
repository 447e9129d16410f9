import { exact, Facts, FoldedForm, Time } from '../parts.tsx'
import { createRevocationPage, getShownUser, UserChoice } from './person.tsx'

export const { show, submit } = createRevocationPage({
  title: 'Connected accounts',
  emptyMessage: 'No connected accounts. A tool that needs one answers its first call with a link to connect it.',
  doneMessage: 'Access revoked. A tool that needs it asks again.',
  revokeAll: { label: 'Revoke all', button: (count) => `Revoke all ${count} accounts` },
  load: (context) => context.fetchRoute('GET /users/:user/grants', { user: getShownUser(context) }),
  revoke(context) {
    const user = getShownUser(context)
    if (context.form.has('all')) return context.fetchRoute('DELETE /users/:user/grants', { user })
    const [provider, account, toolkit] = ['provider', 'account', 'toolkit'].map((name) => context.form.get(name))
    if (!provider) return undefined
    const query = new URLSearchParams({ account: account ?? '', ...(toolkit ? { toolkit } : {}) })
    return context.fetchRoute('DELETE /users/:user/grants/:provider', { user, provider, query })
  },
  renderIntro: (context) => (
    <>
      <p>
        Accounts at other services that tools can use on this user's behalf. Tokens are stored encrypted and never
        shown.
      </p>
      <UserChoice context={context} />
    </>
  ),
  renderCard({ provider, account, scopes, toolkits, granted_at, expires_at, refreshable }) {
    const allowed = scopes.map((scope) => (
      <>
        <code>{scope}</code>{' '}
      </>
    ))
    const users = toolkits.map(({ toolkit, hosts }) => (
      <div>
        <a href={`/?${new URLSearchParams({ toolkit })}`}>{toolkit}</a>
        {hosts.length === 0 ? undefined : <span class="note">, which sends the token to {hosts.join(', ')}</span>}
      </div>
    ))
    const until = expires_at && !refreshable && (
      <>
        <Time at={expires_at} />, then the user is asked again
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
            'Scopes': scopes.length === 0 ? 'none in particular' : allowed,
            'Used by': toolkits.length === 0 ? 'no toolkits' : users,
            'Connected': <Time at={granted_at} />,
            'Expires': until || undefined,
          }}
        />
        <FoldedForm label="Revoke…">
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="account" value={exact(account)} />
          {toolkits.length < 2
            ? undefined
            : toolkits.map(({ toolkit }) => (
                <button class="danger" name="toolkit" value={toolkit}>
                  Revoke for {toolkit} only
                </button>
              ))}
          <button class="danger">
            Revoke {provider}
            {toolkits.length < 2 ? undefined : ' for all toolkits'}
          </button>
        </FoldedForm>
      </>
    )
  },
})
