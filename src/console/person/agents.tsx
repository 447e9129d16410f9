import { quoteName } from '../../http/page/text.ts'
import { Facts, FoldedForm, Time } from '../parts.tsx'
import { endingPage, shownUser, UserChoice } from './person.tsx'

export const { show, act } = endingPage({
  title: 'Connected agents',
  none: 'No connected agents.',
  done: 'Agent disconnected. It loses access everywhere within a minute.',
  isReversed: true,
  endAll: { label: 'Disconnect all', button: (count) => `Disconnect all ${count} agents` },
  read: (visit) => visit.fetchRoute('GET /users/:user/agents', { user: shownUser(visit) }),
  end(visit) {
    const [user, id] = [shownUser(visit), visit.form.get('id')]
    if (id !== null) return visit.fetchRoute('DELETE /users/:user/agents/:id', { user, id })
    return visit.form.has('all') ? visit.fetchRoute('DELETE /users/:user/agents', { user }) : undefined
  },
  intro: (visit) => (
    <>
      <p>
        Programs that use tools on a person's behalf, at <code>{visit.url.origin}/connect/mcp</code>. An agent can do no
        more than that person. <a href="/docs/connect">How to connect an agent</a>
      </p>
      <UserChoice visit={visit} />
    </>
  ),
  card: ({ id, client, toolkits, created_at, expires_at, used_at }) => (
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
