import type { Authorization, FlowStep } from '../../core/consent/authorization.ts'
import { type Page, plainPage } from '../../http/page/page.ts'
import { signInPath } from '../../http/page/sign-in-path.ts'
import { truncate, toSentence } from '../../http/page/text.ts'

export function signInPage(returnPath: string): Page {
  return {
    status: 200,
    title: 'Sign in first',
    body: [
      'An agent is waiting for a decision here. Sign in to see the request.',
      <p>
        <a class="button" href={signInPath(returnPath)}>
          Sign in
        </a>
      </p>,
    ],
  }
}

/** Tells the wrong person nothing about the authorization except whether the call is their own. */
export function otherPersonPage(personName: string, returnPath: string, isOwnCall: boolean): Page {
  return {
    status: 403,
    title: 'This is for somebody else',
    body: [
      <p>
        You are signed in as <strong>{truncate(personName)}</strong>, and this link is for another person. Nothing has
        changed.{' '}
        {isOwnCall
          ? 'Nobody approves their own call: send this link to an administrator, or to somebody who may publish the tool.'
          : 'If somebody sent it to you, let them know.'}
      </p>,
      <form method="post" action="/sign-out">
        <input type="hidden" name="return" value={returnPath} />
        <button>Sign in as somebody else</button>
      </form>,
    ],
  }
}

const CLOSE_WINDOW = 'You can close this window and return to your agent.'

/** Shows the account of the credential if the provider's check returned it. */
export function connectedPage(authorization: Authorization, providerName: string, answeredAs?: string): Page {
  const page = endedPage(authorization, providerName)
  if (answeredAs === undefined) return page
  const line = (
    <p>
      {truncate(providerName, 100)} knows this as the account <strong>{truncate(answeredAs)}</strong>.
    </p>
  )
  return { ...page, body: [line, ...page.body] }
}

export function endedPage({ kind, status, reason, tool, userId }: Authorization, providerName: string): Page {
  const isApproval = kind === 'approval'
  if (status !== 'completed') {
    const title = isApproval ? 'The call was not approved' : 'Access was not granted'
    const advice = 'If you still want this, ask your agent to try again: it gets a new link.'
    return { status: 410, title, body: [...(reason === undefined ? [] : [toSentence(reason)]), advice] }
  }
  const user = userId !== undefined && [' for ', <strong>{truncate(userId)}</strong>]
  const confirmation = isApproval ? (
    <p>
      You approved the call to <code>{tool}</code>
      {user}. It can run now.
    </p>
  ) : (
    <p>
      <code>{tool}</code> can now act{user} at {truncate(providerName, 100)}.
    </p>
  )
  return { status: 200, title: 'Done', body: [confirmation, CLOSE_WINDOW] }
}

export function refusedPage({ kind, tool }: Pick<Authorization, 'kind' | 'tool'>): Page {
  const message = (
    <p>
      <code>{tool}</code> {kind === 'approval' ? 'will not be called' : 'did not get access'}.
    </p>
  )
  return { status: 200, title: 'Refused', body: [message, CLOSE_WINDOW] }
}

const STEP_PAGES = {
  'expired': { status: 410, title: 'This link no longer works' },
  'other-browser': { status: 403, title: 'Started in another browser' },
  'refused': { status: 400, title: 'Access was not granted' },
  'unavailable': { status: 502, title: 'Something went wrong' },
} as const satisfies Record<Extract<FlowStep, { ok: false }>['why'], { status: Page['status']; title: string }>

export function failedStepPage({ why, message }: Extract<FlowStep, { ok: false }>, retry?: string): Page {
  const { status, title } = STEP_PAGES[why]
  if (retry === undefined || why === 'expired') return plainPage(status, title, message)
  const retryLink = (
    <p>
      <a href={retry}>Start again</a>
    </p>
  )
  return { status, title, body: [toSentence(message), retryLink] }
}

/** A page for links that cannot continue. `text` tells programs the same. */
export interface DeadEnd extends Page {
  readonly status: 404 | 409
  readonly text: string
}

function buildDeadEnd(
  status: DeadEnd['status'],
  title: string,
  lines: readonly string[],
  { href, words }: typeof SET_UP,
) {
  const link = (
    <p>
      <a href={href}>{words}</a>
    </p>
  )
  return { status, title, body: [...lines, link], text: [...lines, `${words}: ${href}`].join(' ') }
}

const CHOOSE_USER = { href: '/docs/agents#choose-the-user', words: 'Which user an agent acts for' }
const SET_UP = { href: '/docs/people#other-providers', words: 'How to set up a provider' }

/** Calls without a user get a challenge too, although there is no person to ask yet. */
export function userlessPage(providerName: string): DeadEnd {
  return buildDeadEnd(
    404,
    'Which user is this for?',
    [
      `A tool wants to use an account at ${truncate(providerName, 100)}, but the call did not name a user. Nothing was shared.`,
      'Name the user in the call, as context.user_id or (MCP and plugins) in the header X-User-Id, or use an API key with one user. Then call again: the answer has a link for that user.',
    ],
    CHOOSE_USER,
  )
}

export function unknownPage(id: string): DeadEnd {
  return buildDeadEnd(
    404,
    'Nothing to authorize here',
    [
      `This link has expired, or its provider is not set up on this Switchboard: ${truncate(id, 128)}. Nothing was shared.`,
      'If the link has expired, have your agent call again for a new one.',
      formatSetupAdvice(id),
    ],
    SET_UP,
  )
}

export function notSetUpPage(provider: string): DeadEnd {
  return buildDeadEnd(
    409,
    `'${truncate(provider, 100)}' is not set up`,
    ['Nobody can connect an account at this provider yet. Nothing was shared.', formatSetupAdvice(provider)],
    SET_UP,
  )
}

function formatSetupAdvice(provider: string): string {
  return `An administrator can set the provider up with PUT /providers/${encodeURIComponent(truncate(provider, 128).toWellFormed())}; then call again. Until then, a call can bring a token of yours in context.authorization: it is used for that one call and never stored.`
}
