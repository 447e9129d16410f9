/** What to do first, for whoever has just started a Switchboard of their own. */
export function FirstSteps({ origin, tool }: { origin: string; tool: string | undefined }) {
  const [name] = (tool ?? '').split('@')
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">First</h2>
      <ol>
        <li>
          Call a tool: {name ? <a href={`/console/tools/${encodeURIComponent(name)}`}>{name}</a> : 'any of those below'}{' '}
          has a form, and the same call for each dialect.
        </li>
        <li>
          Connect an agent to <code>{origin}/mcp</code>: <a href="/docs/agents">how each host is told</a>. No key is
          needed on this machine.
        </li>
        <li>
          Write a tool: a file such as <code>tools/Weather/Today.ts</code> is served as <code>Weather.Today</code> when
          you save it.
        </li>
      </ol>
      <p class="note">
        This Switchboard lets in whoever comes from this machine, as an administrator, since it was started with
        ACCESS=open. It asks for keys once it is deployed.
      </p>
    </section>
  )
}
