import { quoteName } from '../../http/page/text.ts'
import { Facts, FoldedForm, Time } from '../parts.tsx'
import { createRevocationPage, getShownUser, UserChoice } from './person.tsx'

export const { show, submit } = createRevocationPage({
  title: 'Connected agents',
  emptyMessage: 'No connected agents.',
  doneMessage: 'Agent disconnected. It loses access everywhere within a minute.',
  isReversed: true,
  revokeAll: { label: 'Disconnect all', button: (count) => `Disconnect all ${count} agents` },
  load: (context) => context.fetchRoute('GET /users/:user/agents', { user: getShownUser(context) }),
  revoke(context) {
    const [user, id] = [getShownUser(context), context.form.get('id')]
    if (id !== null) return context.fetchRoute('DELETE /users/:user/agents/:id', { user, id })
    return context.form.has('all') ? context.fetchRoute('DELETE /users/:user/agents', { user }) : undefined
  },
  renderIntro: (context) => (
    <>
      <p>
        Programs that use tools on a person's behalf, at <code>{context.url.origin}/connect/mcp</code>. An agent can do
        no more than that person. <a href="/docs/connect">How to connect an agent</a>
      </p>
      <UserChoice context={context} />
    </>
  ),
  renderCard: ({ id, client, toolkits, created_at, expires_at, used_at }) => (
    <>
      <h2>{quoteName(client.name)}</h2>
      <Facts
        facts={{
          'Toolkits': toolkits.join(', '),
          'Returns to': <code>{client.host}</code>,
          'Connected': <Time at={created_at} />,
          'Last used': used_at ? <Time at={used_at} /> : 'never',
          'Expires': <Time at={expires_at} />,
        }}
      />
      <FoldedForm label="Disconnect…">
        <input type="hidden" name="id" value={id} />
        <button class="danger">Disconnect {quoteName(client.name)}</button>
      </FoldedForm>
    </>
  ),
})
