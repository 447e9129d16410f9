import { toHolder } from '../../core/access/holder.ts'
import type { PageContext, Reply } from '../page-context.ts'
import { exact, formatCode, TextField, Time } from '../parts.tsx'
import { buildQuery, readFilters } from '../query.ts'
import { createAccessPage, getShownUser, UserChoice } from './person.tsx'

export const { show, submit, renderPart } = createAccessPage({
  title: 'Connected accounts',
  path: '/console/accounts',
  emptyMessage: 'No connected accounts. A tool that needs one answers its first call with a link to connect it.',
  doneMessage: 'Done. A tool that needs an account that does not work asks for it.',
  load: (context) => context.fetchRoute('GET /users/:user/connections', { user: getShownUser(context) }),
  revoke(context) {
    const user = getShownUser(context)
    if (context.form.has('all')) return context.fetchRoute('DELETE /users/:user/grants', { user })
    const [provider, account, toolkit] = ['provider', 'account', 'toolkit'].map((name) => context.form.get(name))
    if (!provider) return undefined
    if (context.form.has('connect')) return connect(context, { provider, account, toolkit })
    if (context.form.has('check')) return check(context, provider, account ?? '')
    const query = new URLSearchParams({ account: account ?? '', ...(toolkit ? { toolkit } : {}) })
    return context.fetchRoute('DELETE /users/:user/grants/:provider', { user, provider, query })
  },
  renderIntro(context) {
    const user = getShownUser(context)
    const { provider, toolkit, account } = readFilters(context, ['provider', 'toolkit', 'account'])
    return (
      <>
        <p>
          Accounts at other services that tools can use on{' '}
          {user === toHolder(context.principal).id ? 'your behalf' : `behalf of ${user}`}. Tokens are stored encrypted
          and never shown.
        </p>
        <UserChoice context={context} />
        <form class="row" method="post" id="connect">
          <TextField label="Provider" name="provider" value={provider} required />
          <TextField label="Toolkit" name="toolkit" value={toolkit} required />
          <TextField label="Account" note="(optional)" name="account" value={account} maxlength={64} />
          <button name="connect" value="1">
            Connect an account
          </button>
        </form>
      </>
    )
  },
  columns: () => [
    { title: 'Account', isName: true, cell: formatAccount },
    { title: 'State', cell: ({ state, reason }) => [formatCode(state), reason && <div class="note">{reason}</div>] },
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
    {
      title: 'Times',
      cell: ({ granted_at, last_used_at, last_refused_at, ...grant }) => {
        const expires_at = grant.refreshable ? undefined : grant.expires_at
        const times = { connected: granted_at, last_used_at, last_refused_at, expires_at }
        return Object.entries(times).map(([name, at]) => at && <div>{[formatCode(name), ' ', <Time at={at} />]}</div>)
      },
    },
  ],
  renderCheck: ({ provider, account, toolkits: [used] }, action) => (
    <form method="post" action={action}>
      <input type="hidden" name="provider" value={exact(provider)} />
      <input type="hidden" name="account" value={exact(account)} />
      <button class="quiet" name="check" value="1" aria-label={`Check ${formatAccount({ provider, account })}`}>
        Check
      </button>{' '}
      <input type="hidden" name="toolkit" value={used?.toolkit} />
      <button class="quiet" name="connect" value="1" aria-label={`Reconnect ${formatAccount({ provider, account })}`}>
        Reconnect
      </button>
    </form>
  ),
  revokeForm({ provider, account, toolkits }) {
    return {
      id: `account-${encodeURIComponent(`${provider} ${account}`.toWellFormed())}`,
      label: 'Disconnect',
      name: `Disconnect ${formatAccount({ provider, account })}`,
      question: 'No toolkit can use this account then, until it is connected again.',
      children: (
        <>
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="account" value={exact(account)} />
          {toolkits.length < 2
            ? undefined
            : toolkits.map(({ toolkit }) => (
                <button class="danger" name="toolkit" value={toolkit}>
                  Disconnect from {toolkit} only
                </button>
              ))}
        </>
      ),
    }
  },
  revokeAll: ({ length }) =>
    length < 2
      ? undefined
      : { label: `Disconnect all ${length} accounts`, question: 'No toolkit can use any of these accounts then.' },
})

function formatAccount({ provider, account }: { provider: string; account: string }): string {
  return account === '' ? provider : `${provider}, ${account}`
}

/** Checks an account. Fails with the reason if the provider could not be reached; the state then stays unchanged. */
async function check(context: PageContext, provider: string, account: string): Promise<Reply<undefined>> {
  const request = { user: getShownUser(context), provider, query: new URLSearchParams({ account }) }
  const reply = await context.fetchRoute('POST /users/:user/connections/:provider/check', request)
  if (!reply.ok || reply.value.state !== 'unknown') return reply.ok ? { ...reply, value: undefined } : reply
  const status = 502
  return { ok: false, status, failure: { status, message: reply.value.reason ?? '', problems: [] } }
}

type FormValues = Readonly<Record<'provider' | 'account' | 'toolkit', string | null | undefined>>

/** Returns the path of the link, or of the form if no toolkit uses the account any longer. */
async function connect(context: PageContext, values: FormValues): Promise<Reply<string>> {
  const { provider, account, toolkit } = values
  const body = { provider: provider || undefined, account: account || undefined, toolkit: toolkit || undefined }
  const user = getShownUser(context)
  if (!toolkit) return { ok: true, status: 200, value: `/console/accounts?${buildQuery({ ...body, user })}#connect` }
  const reply = await context.fetchRoute('POST /users/:user/connections', { user, body })
  return reply.ok ? { ...reply, value: new URL(reply.value.url).pathname } : reply
}
