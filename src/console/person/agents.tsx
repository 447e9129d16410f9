import { quoted } from '../../http/page/text.ts'
import { Ending, Facts, Time } from '../parts.tsx'
import { endingPage, shownUser, UserChoice } from './person.tsx'

export const { show, act } = endingPage({
  title: 'Connected agents',
  none: 'No agent is connected.',
  done: 'It is ended: here at once, and everywhere within a minute.',
  isReversed: true,
  endAll: { label: 'End all of them', button: (count) => `End all ${count} agents now` },
  read: (visit) => visit.ask('GET /users/:user/agents', { user: shownUser(visit) }),
  end(visit) {
    const [user, id] = [shownUser(visit), visit.form.get('id')]
    if (id !== null) return visit.ask('DELETE /users/:user/agents/:id', { user, id })
    return visit.form.has('all') ? visit.ask('DELETE /users/:user/agents', { user }) : undefined
  },
  intro: (visit) => (
    <>
      <p>
        Programs that were let use tools in a person's name, at <code>{visit.url.origin}/connect/mcp</code>. None may do
        more than that person. <a href="/docs/connect">How an agent is connected</a>
      </p>
      <UserChoice visit={visit} />
    </>
  ),
  card: ({ id, client, toolkits, created_at, expires_at, used_at }) => (
    <>
      <h2>{quoted(client.name)}</h2>
      <Facts
        facts={{
          'May use': toolkits.join(', '),
          'Goes back to': <code>{client.host}</code>,
          'Since': <Time at={created_at} />,
          'Last used': used_at ? <Time at={used_at} /> : 'never',
          'Until': <Time at={expires_at} />,
        }}
      />
      <Ending label="End it">
        <input type="hidden" name="id" value={id} />
        <button class="danger">End {quoted(client.name)} now</button>
      </Ending>
    </>
  ),
})
