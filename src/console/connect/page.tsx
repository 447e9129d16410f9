import { hasScope } from '../../core/access/principal.ts'
import { Copyable } from '../../http/page/rows.tsx'
import { agentHosts, whereWithoutKey, withoutKey } from '../../docs/agent-hosts.ts'
import type { PageContext, View } from '../page-context.ts'
import { Fold, SnippetList } from '../parts.tsx'

/** The console's only page on how to connect an agent. */
export async function show({ isOpen, principal, url: { origin } }: PageContext): Promise<View> {
  const mayCreateKeys = hasScope(principal, 'admin')
  const groups = [...Map.groupBy(agentHosts(origin), ({ group }) => group)]
  return {
    title: 'Connect an agent',
    content: (
      <>
        <p>Every MCP client connects to this URL:</p>
        <Copyable text={isOpen || mayCreateKeys ? `${origin}/mcp` : `${origin}/connect/mcp`} />
        {isOpen ? (
          <p>
            No API key is needed on this machine: where a key is named below, leave it and its header out, and connect
            to the URL above.
          </p>
        ) : !mayCreateKeys ? (
          <p>
            The client opens a browser, where you sign in and choose what it may use. A client that cannot do that
            connects to <code>{origin}/mcp</code> with an API key, which an administrator can give you.
          </p>
        ) : (
          <p>
            It takes an API key: <a href="/console/keys#make">create one</a> to get what to paste, with the key in it.
            Where people sign in, a client that opens a browser connects to <code>{origin}/connect/mcp</code> and needs
            no key.
          </p>
        )}
        {groups.map(([group, hosts], index) => (
          <Fold id={`clients-${index + 1}`} title={group} note={String(hosts.length)} isOpen={index === 0}>
            <SnippetList
              snippets={hosts.map((host) => {
                const { title, where, snippet, signIn } = host
                const preferred = isOpen ? withoutKey(host) : mayCreateKeys ? (snippet ?? signIn) : (signIn ?? snippet)
                return { title, note: isOpen ? whereWithoutKey(host) : where, text: preferred?.text ?? '' }
              })}
            />
          </Fold>
        ))}
        <p class="note">
          More in the <a href="/docs/agents">guide for agents</a>. With more than a hundred tools, add{' '}
          <code>?mode=search</code> to the URL.
        </p>
      </>
    ),
  }
}
