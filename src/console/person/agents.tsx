import { quoteName } from '../../http/page/text.ts'
import { Time } from '../parts.tsx'
import { createAccessPage, getShownUser, UserChoice } from './person.tsx'

export const { show, submit, renderPart } = createAccessPage({
  title: 'Connected agents',
  path: '/console/agents',
  emptyMessage: 'No connected agents.',
  doneMessage: 'Agent disconnected. It loses access everywhere within a minute.',
  isReversed: true,
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
  columns: () => [
    {
      title: 'Agent',
      isName: true,
      cell: ({ client }) => (
        <>
          {quoteName(client.name)} <span class="note">returns to {client.host}</span>
        </>
      ),
    },
    {
      title: 'Toolkits',
      cell: ({ toolkits, toolset }) => [
        toolkits.join(', '),
        toolset && <span class="note"> of the toolset {toolset}</span>,
      ],
    },
    { title: 'Connected', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Last used', cell: ({ used_at }) => (used_at ? <Time at={used_at} /> : 'never') },
    { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  ],
  revokeForm: ({ id, client }) => ({
    id: `agent-${id}`,
    label: 'Disconnect',
    name: `Disconnect ${quoteName(client.name)}`,
    question: 'The agent loses access everywhere within a minute. It can be connected again.',
    children: <input type="hidden" name="id" value={id} />,
  }),
  revokeAll: ({ length }) =>
    length < 2
      ? undefined
      : { label: `Disconnect all ${length} agents`, question: 'All of them lose access everywhere within a minute.' },
})
