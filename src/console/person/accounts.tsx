import { toHolder } from '../../core/access/holder.ts'
import { exact, Time } from '../parts.tsx'
import { createAccessPage, getShownUser, UserChoice } from './person.tsx'

export const { show, submit, renderPart } = createAccessPage({
  title: 'Connected accounts',
  path: '/console/accounts',
  emptyMessage: 'No connected accounts. A tool that needs one answers its first call with a link to connect it.',
  doneMessage: 'Access revoked. A tool that needs it asks again.',
  load: (context) => context.fetchRoute('GET /users/:user/grants', { user: getShownUser(context) }),
  revoke(context) {
    const user = getShownUser(context)
    if (context.form.has('all')) return context.fetchRoute('DELETE /users/:user/grants', { user })
    const [provider, account, toolkit] = ['provider', 'account', 'toolkit'].map((name) => context.form.get(name))
    if (!provider) return undefined
    const query = new URLSearchParams({ account: account ?? '', ...(toolkit ? { toolkit } : {}) })
    return context.fetchRoute('DELETE /users/:user/grants/:provider', { user, provider, query })
  },
  renderIntro(context) {
    const user = getShownUser(context)
    return (
      <>
        <p>
          Accounts at other services that tools can use on{' '}
          {user === toHolder(context.principal).id ? 'your behalf' : `behalf of ${user}`}. Tokens are stored encrypted
          and never shown.
        </p>
        <UserChoice context={context} />
      </>
    )
  },
  columns: () => [
    { title: 'Account', isName: true, cell: formatAccount },
    {
      title: 'Scopes',
      cell: ({ scopes }) =>
        scopes.length === 0
          ? 'none in particular'
          : scopes.map((scope) => (
              <>
                <code>{scope}</code>{' '}
              </>
            )),
    },
    {
      title: 'Used by',
      cell: ({ toolkits }) =>
        toolkits.length === 0
          ? 'no toolkits'
          : toolkits.map(({ toolkit, hosts }) => (
              <div>
                <a href={`/?${new URLSearchParams({ toolkit })}`}>{toolkit}</a>
                {hosts.length === 0 ? undefined : (
                  <span class="note">, which sends the token to {hosts.join(', ')}</span>
                )}
              </div>
            )),
    },
    { title: 'Connected', cell: ({ granted_at }) => <Time at={granted_at} /> },
    {
      title: 'Expires',
      cell: ({ expires_at, refreshable }) => (expires_at && !refreshable ? <Time at={expires_at} /> : 'when revoked'),
    },
  ],
  revokeForm({ provider, account, toolkits }) {
    return {
      id: `account-${encodeURIComponent(`${provider} ${account}`.toWellFormed())}`,
      label: 'Revoke',
      name: `Revoke ${formatAccount({ provider, account })}`,
      question: 'No toolkit can use this account then, until it is connected again.',
      children: (
        <>
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="account" value={exact(account)} />
          {toolkits.length < 2
            ? undefined
            : toolkits.map(({ toolkit }) => (
                <button class="danger" name="toolkit" value={toolkit}>
                  Revoke for {toolkit} only
                </button>
              ))}
        </>
      ),
    }
  },
  revokeAll: ({ length }) =>
    length < 2
      ? undefined
      : { label: `Revoke all ${length} accounts`, question: 'No toolkit can use any of these accounts then.' },
})

function formatAccount({ provider, account }: { provider: string; account: string }): string {
  return account === '' ? provider : `${provider}, ${account}`
}
