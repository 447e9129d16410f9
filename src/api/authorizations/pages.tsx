import type { CallableTool } from '../../core/call/callable-tool.ts'
import type { Authorization, Step } from '../../core/consent/authorization.ts'
import { scopesBeside } from '../../core/consent/oauth-scopes.ts'
import type { Provider } from '../../core/consent/provider.ts'
import { appearanceOf } from '../../core/tool/appearance.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { ToolIcon } from '../../http/page/icon.tsx'
import { type Page, plainPage } from '../../http/page/page.ts'
import { Row } from '../../http/page/rows.tsx'
import { signInPath } from '../../http/page/sign-in-path.ts'
import { bounded, quoted, sentence } from '../../http/page/text.ts'
import { scopeWords } from './scope-words.ts'

export type KnownTool = Pick<CallableTool, 'record' | 'runnable'>

interface GrantVisit {
  readonly provider: Provider | undefined
  readonly tool: KnownTool | undefined
  readonly signedIn?: string | undefined
}

export function grantPage(authorization: Authorization, { provider, tool, signedIn }: GrantVisit, now: number): Page {
  const { provider: id, userId = '', hosts, account, accounts = [], isHeld = false, requestedBy } = authorization
  const name = bounded(provider?.name ?? id, 100)
  const scopes = [...authorization.scopes, ...(isHeld || !provider ? [] : askedBeside(provider, authorization.scopes))]
  return {
    status: 200,
    title: `Let a tool act for you at ${name}?`,
    body: [
      <dl>
        <Row term="Requested by" words={requestedBy && quoted(requestedBy)} />
        <ToolRows id={authorization.tool} tool={tool} />
        <Row term="Provider" words={name} />
        <Row term="Account" words={account === '' ? 'default' : account && bounded(account)} />
        <Row term="Sends data to" words={hosts.length === 0 ? 'this Switchboard only' : <Codes texts={hosts} />} />
        <Row term="User" words={<strong>{bounded(userId)}</strong>} />
        <Row term="Signed in as" words={signedIn && bounded(signedIn)} />
      </dl>,
      <h2>Permissions</h2>,
      scopes.length === 0 ? (
        `No specific permissions: ${name} will show what this allows.`
      ) : (
        <ul role="list">
          {scopes.map((scope) => (
            <li>
              {scopeWords(id, scope)}
              <code>{bounded(scope)}</code>
            </li>
          ))}
        </ul>
      ),
      <p>
        This allows all tools of the toolkit{' '}
        <code>{parseToolId(authorization.tool)?.toolkit ?? authorization.tool}</code> to use your account, at these
        addresses only.
      </p>,
      isHeld ? `You have connected ${name} before: this is about letting this toolkit use that access.` : undefined,
      <p class="care">
        {signedIn === undefined
          ? `Continue only if you are this user and requested this yourself. Otherwise, the person who sent you this link could use your account at ${name}.`
          : `Continue only if you requested this yourself, and with your own account at ${name}.`}
      </p>,
      <form method="post">
        {account === undefined ? <AccountField connected={accounts.filter((each) => each !== '')} /> : undefined}
        <button class="go" name="decision" value="continue">
          {isHeld ? 'Continue' : `Continue to ${name}`}
        </button>
        <RefuseButton />
      </form>,
      <p class="note">
        {until(authorization, now)} Access is stored encrypted, for this user only. It can be revoked at any time, here
        or in your account at {name}.
      </p>,
    ],
  }
}

/** Its icon, title and description are the publisher's. */
export function ToolRows({ id, tool }: { readonly id: string; readonly tool: KnownTool | undefined }) {
  const { title, icon } = tool ? appearanceOf(tool.record) : {}
  return (
    <>
      <Row
        term="Tool"
        words={
          <>
            <ToolIcon path={icon} />
            <code>{id}</code>
          </>
        }
      />
      <Row term="Title" words={title && quoted(title)} />
      <Row term="Description" words={tool && bounded(tool.record.description)} />
    </>
  )
}

/** A provider that is discovered may offer `offline_access`, and is asked for it then. */
function askedBeside(provider: Provider, scopes: readonly string[]): string[] {
  const parameters = Object.entries(provider.authorization_parameters ?? {})
  const offline = parameters.filter(([, value]) => value === 'offline').map((each) => each.join('='))
  return [...scopesBeside(provider, scopes, provider.issuer !== undefined), ...offline]
}

export function RefuseButton() {
  return (
    <button name="decision" value="refuse">
      Refuse
    </button>
  )
}

export function Codes({ texts }: { readonly texts: readonly string[] }) {
  return <>{texts.flatMap((text) => [<code>{bounded(text)}</code>, ' '])}</>
}

function AccountField({ connected }: { readonly connected: readonly string[] }) {
  return (
    <label class="note">
      Account name, if you have several (such as work).
      {connected.length === 0 ? undefined : (
        <>
          {' '}
          Connected: <Codes texts={connected} />
        </>
      )}
      <input name="account" value="" maxlength={64} autocomplete="off" />
    </label>
  )
}

export function signInPage(back: string): Page {
  return {
    status: 200,
    title: 'Sign in first',
    body: [
      'An agent is waiting for a decision here. Only the person it asks can see and answer the request.',
      <p>
        <a class="button" href={signInPath(back)}>
          Sign in
        </a>
      </p>,
    ],
  }
}

/** The wrong person learns nothing of the authorization. */
export function otherPersonPage(signedIn: string, back: string): Page {
  return {
    status: 403,
    title: 'This is for somebody else',
    body: [
      <p>
        You are signed in as <strong>{bounded(signedIn)}</strong>, and this link is for another person. Nothing has
        changed. If somebody sent it to you, let them know.
      </p>,
      <form method="post" action="/sign-out">
        <input type="hidden" name="return" value={back} />
        <button>Sign in as somebody else</button>
      </form>,
    ],
  }
}

export function until({ expiresAt }: Authorization, now: number): string {
  const minutes = Math.max(1, Math.ceil((expiresAt - now) / 60_000))
  return `This page expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}

const CLOSE_WINDOW = 'You can close this window and go back to where you came from.'

export function endedPage({ kind, status, reason, tool, userId }: Authorization, providerName: string): Page {
  const isApproval = kind === 'approval'
  if (status !== 'completed') {
    const title = isApproval ? 'The call was not approved' : 'Access was not granted'
    const again = 'If you still want this, ask your agent to try again: it gets a new link.'
    return { status: 410, title, body: [...(reason === undefined ? [] : [sentence(reason)]), again] }
  }
  const user = userId !== undefined && [' for ', <strong>{bounded(userId)}</strong>]
  const done = isApproval ? (
    <p>
      You approved the call to <code>{tool}</code>
      {user}. It can run now.
    </p>
  ) : (
    <p>
      <code>{tool}</code> can now act{user} at {bounded(providerName, 100)}.
    </p>
  )
  return { status: 200, title: 'Done', body: [done, CLOSE_WINDOW] }
}

export function refusedPage({ kind, tool }: Pick<Authorization, 'kind' | 'tool'>): Page {
  const refused = (
    <p>
      <code>{tool}</code> {kind === 'approval' ? 'will not be called' : 'did not get access'}.
    </p>
  )
  return { status: 200, title: 'Refused', body: [refused, CLOSE_WINDOW] }
}

const STEP_PAGES = {
  'gone': { status: 410, title: 'This link no longer works' },
  'other-browser': { status: 403, title: 'Started in another browser' },
  'refused': { status: 400, title: 'Access was not granted' },
  'unavailable': { status: 502, title: 'Something went wrong' },
} as const satisfies Record<Extract<Step, { ok: false }>['why'], { status: Page['status']; title: string }>

export function stoppedPage({ why, message }: Extract<Step, { ok: false }>, retry?: string): Page {
  const { status, title } = STEP_PAGES[why]
  if (retry === undefined || why === 'gone') return plainPage(status, title, message)
  const again = (
    <p>
      <a href={retry}>Start again</a>
    </p>
  )
  return { status, title, body: [sentence(message), again] }
}

/** Where a link cannot lead on, a person and a program are told the same. */
export interface DeadEnd extends Page {
  readonly status: 404 | 409
  readonly said: string
}

interface GuideLink {
  readonly href: string
  readonly words: string
}

function deadEnd(status: DeadEnd['status'], title: string, lines: readonly string[], guide: GuideLink): DeadEnd {
  const { href, words } = guide
  const link = (
    <p>
      <a href={href}>{words}</a>
    </p>
  )
  return { status, title, body: [...lines, link], said: [...lines, `${words}: ${href}`].join(' ') }
}

const FOR_WHOM: GuideLink = { href: '/docs/agents#which-user-it-acts-for', words: 'Which user an agent acts for' }
const SET_UP: GuideLink = { href: '/docs/people#other-providers', words: 'How to set up a provider' }

/** A call without a user has a challenge all the same, though there is nobody to ask yet. */
export function nobodyPage(providerName: string): DeadEnd {
  return deadEnd(
    404,
    'Which user is this for?',
    [
      `A tool wants to use an account at ${bounded(providerName, 100)}, but the call did not name a user. Nothing was shared.`,
      'Name the user in the call, as context.user_id or (MCP and plugins) in the header X-User-Id, or use an API key with one user. Then call again: the answer has a link for that user.',
    ],
    FOR_WHOM,
  )
}

export function unknownPage(id: string): DeadEnd {
  return deadEnd(
    404,
    'Nothing to authorize here',
    [
      `This link has expired, or its provider is not set up on this Switchboard: ${bounded(id, 128)}. Nothing was shared.`,
      'If the link has expired, have your agent call again for a new one.',
      howToSetUp(id),
    ],
    SET_UP,
  )
}

export function notSetUpPage(provider: string): DeadEnd {
  return deadEnd(
    409,
    `'${bounded(provider, 100)}' is not set up`,
    ['Nobody can connect an account at this provider yet. Nothing was shared.', howToSetUp(provider)],
    SET_UP,
  )
}

function howToSetUp(provider: string): string {
  return `An administrator can set the provider up with PUT /providers/${encodeURIComponent(bounded(provider, 128).toWellFormed())}; then call again. Until then, a call can bring a token of yours in context.authorization: it is used for that one call and never stored.`
}
