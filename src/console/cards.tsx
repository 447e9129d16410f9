import type { Scope } from '../core/access/principal.ts'
import type { Page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { CATALOG_LINK } from './parts.tsx'

export const UNKNOWN_NAME_PAGE: Page = {
  status: 404,
  title: 'Not found',
  body: ['Nothing has this name.', CATALOG_LINK],
}

export function buildScopePage(scope: Scope): Page {
  const reason = (
    <p>
      This page needs the scope <code>{scope}</code>, which you do not have. An administrator can add it to your key or,
      for people, in <code>SIGN_IN_RULES</code>.
    </p>
  )
  return { status: 403, title: 'Not allowed', body: [reason, CATALOG_LINK] }
}

export function buildWelcomePage(): Page {
  return {
    status: 200,
    title: 'One URL for every tool an agent calls',
    body: [
      'Tools are published here once and called by any agent, in whichever dialect it speaks. Sign in to find a tool, read it, and call it from a form.',
      <p>
        <a class="button" href={signInPath('/')}>
          Sign in
        </a>
      </p>,
      <p class="note">
        To connect an agent, see the <a href="/console/connect">setup for each</a>. Everything else is in the{' '}
        <a href="/docs">guides</a>; programs read <a href="/llms.txt">llms.txt</a>.
      </p>,
    ],
  }
}
