import { html } from '../http/page/markup.ts'
import type { Page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'

/** What somebody sees who opens the address of a deployment, and is not signed in. */
export function welcomePage(): Page {
  return {
    status: 200,
    title: 'One URL for every tool an agent calls',
    body: html`<p>
        Tools are published here once and called by any agent, in whichever dialect it speaks. Sign in to find a tool,
        read it, and call it from a form.
      </p>
      <p><a class="button" href="${signInPath('/')}">Sign in</a></p>
      <p class="note">
        To connect an agent, see the <a href="/docs/agents">guide for agents</a>. All else is in the
        <a href="/docs">guides</a>; programs read <a href="/llms.txt">llms.txt</a>.
      </p>`,
  }
}
