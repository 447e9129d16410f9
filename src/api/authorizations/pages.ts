import type { Authorization, Step } from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { laidOut } from '../../http/page/laid-out-json.ts'
import { bounded, html, type Markup } from '../../http/page/markup.ts'
import { MAX_TEXT, type Page, sentence } from '../../http/page/page.ts'
import { signInPath } from '../../http/page/sign-in-path.ts'
import { scopeWords } from './scope-words.ts'

const MAX_INPUT = 100_000
const BACK = html`<p>You can close this window and go back to where you came from.</p>`

/** Asks for a grant: which tool wants which scopes, for whom and where. */
export function grantPage(authorization: Authorization, providerName: string, now: number, signedIn?: string): Page {
  const { provider, scopes, userId = '', tool, hosts, isHeld = false } = authorization
  const name = bounded(providerName, 100)
  const toolkit = parseToolId(tool)?.toolkit ?? tool
  const asked =
    scopes.length === 0
      ? html`<p>No scopes in particular: ${name} will say what this allows.</p>`
      : html`<ul role="list">
          ${scopes.map((scope) => scopeItem(provider, scope))}
        </ul>`
  return {
    status: 200,
    title: `Let a tool act for you at ${name}?`,
    body: html`<dl>
        <dt>Tool</dt>
        <dd><code>${tool}</code></dd>
        <dt>For the user</dt>
        <dd><strong>${bounded(userId, MAX_TEXT)}</strong></dd>
        ${signedInRow(signedIn)}
        <dt>At</dt>
        <dd>${name}</dd>
        ${authorization.account === undefined ? undefined : accountRow(authorization.account)}
        <dt>Sent to</dt>
        <dd>${hosts.length === 0 ? 'nobody but this Switchboard' : hosts.map(hostItem)}</dd>
      </dl>
      <h2>It asks for</h2>
      ${asked}
      <p>What you allow holds for all tools of the toolkit <code>${toolkit}</code>, at these addresses alone.</p>
      ${isHeld ? html`<p>${name} has given this access already: you are asked whether it may be used so, too.</p>` : undefined}
      <p class="care">
        ${
          signedIn === undefined
            ? `Go on only if you are this user and asked for it yourself. Whoever sent you this link may otherwise use your account at ${name}.`
            : `Go on only if you asked for it yourself, and with an account of your own at ${name}.`
        }
      </p>
      <form method="post">
        ${authorization.account === undefined ? accountField(authorization.accounts ?? []) : undefined}
        <button class="go" name="decision" value="continue">${isHeld ? 'Continue' : `Continue to ${name}`}</button>
        <button name="decision" value="refuse">Refuse</button>
      </form>
      <p class="note">
        ${until(authorization, now)} The access that you give is stored encrypted, for this user alone. It can be
        revoked at any time, by whoever runs your agent or in your account at ${name}.
      </p>`,
  }
}

function signedInRow(name: string | undefined): Markup | undefined {
  if (name === undefined) return undefined
  return html`<dt>Signed in as</dt>
    <dd>${bounded(name, MAX_TEXT)}</dd>`
}

/** Asks who is there before anything is said of what they are asked. */
export function signInPage(back: string): Page {
  return {
    status: 200,
    title: 'Sign in first',
    body: html`<p>
        An agent asks something of a person here. What it is, only that person gets to see, and only they can answer.
      </p>
      <p><a class="button" href="${signInPath(back)}">Sign in</a></p>`,
  }
}

/** Who is signed in is not who is asked: they learn nothing of it. */
export function otherPersonPage(signedIn: string, back: string): Page {
  return {
    status: 403,
    title: 'This is for somebody else',
    body: html`<p>
        You are signed in as <strong>${bounded(signedIn, MAX_TEXT)}</strong>, and this link is for another person.
        Nothing was done. If somebody sent it to you, let them know.
      </p>
      <form method="post" action="/sign-out">
        <input type="hidden" name="return" value="${back}" />
        <button>Sign in as somebody else</button>
      </form>`,
  }
}

function hostItem(host: string): Markup {
  return html`<code>${bounded(host, MAX_TEXT)}</code> `
}

function accountRow(account: string): Markup {
  return html`<dt>Account</dt>
    <dd>${account === '' ? 'the one without a name' : bounded(account, MAX_TEXT)}</dd>`
}

/** Lets the person say which of several accounts it is, or what a further one is called. */
function accountField(accounts: readonly string[]): Markup {
  const named = accounts.filter((account) => account !== '')
  const known =
    named.length === 0 ? undefined : html` Connected so far: ${named.map((account) => html`<code>${account}</code> `)}`
  return html`<label class="note"
    >Name of the account, if you have several (such as work).${known}
    <input name="account" value="" maxlength="64" autocomplete="off" />
  </label>`
}

function scopeItem(provider: string, scope: string): Markup {
  const words = scopeWords(provider, scope)
  return html`<li>${words}<code>${bounded(scope, MAX_TEXT)}</code></li>`
}

const NOBODY_IDENTIFIED =
  'This Switchboard is open to whoever reaches it, to try things out: it does not know who you are, and whoever has this link can approve. Elsewhere nothing is approved without knowing who does.'

/** Asks for the approval of one call; where nobody is identified, it says so. */
export function approvalPage(
  authorization: Authorization,
  { identifiesPeople, signedIn }: { readonly identifiesPeople: boolean; readonly signedIn?: string | undefined },
  now: number,
): Page {
  const { userId, tool, input = {} } = authorization
  const whom = userId === undefined ? 'nobody in particular' : html`<strong>${bounded(userId, MAX_TEXT)}</strong>`
  return {
    status: 200,
    title: 'Approve this call?',
    body: html`<dl>
        <dt>Tool</dt>
        <dd><code>${tool}</code></dd>
        <dt>For the user</dt>
        <dd>${whom}</dd>
        ${signedInRow(signedIn)}
      </dl>
      <h2>Its arguments</h2>
      ${inputBlock(input)}
      <p class="care">It runs only if you approve, once, and with exactly these arguments.</p>
      ${identifiesPeople ? undefined : html`<p class="care">${NOBODY_IDENTIFIED}</p>`}
      <form method="post">
        <button class="go" name="decision" value="approve">Approve</button>
        <button name="decision" value="refuse">Refuse</button>
      </form>
      <p class="note">${until(authorization, now)}</p>`,
  }
}

function inputBlock(input: JsonObject): Markup {
  const text = JSON.stringify(input)
  const shown = html`<pre>${laidOut(text.slice(0, MAX_INPUT))}</pre>`
  if (text.length <= MAX_INPUT) return shown
  const rest = (text.length - MAX_INPUT).toLocaleString('en')
  return html`${shown}
    <p class="care"><strong>${rest} more characters are not shown here.</strong> Refuse unless you know them.</p>`
}

function until({ expiresAt }: Authorization, now: number): string {
  const minutes = Math.max(1, Math.ceil((expiresAt - now) / 60_000))
  const time = new Date(expiresAt).toISOString().slice(11, 16)
  return `This page works for ${minutes} more ${minutes === 1 ? 'minute' : 'minutes'}, until ${time} UTC.`
}

/** How it stands with an authorization that nobody can act on any more. */
export function endedPage({ kind, status, reason, tool, userId }: Authorization, providerName: string): Page {
  const name = bounded(providerName, 100)
  const user = userId === undefined ? undefined : html` for <strong>${bounded(userId, MAX_TEXT)}</strong>`
  if (status === 'completed') {
    const what =
      kind === 'approval'
        ? html`<p>You approved the call of <code>${tool}</code>${user}. It can go on now.</p>`
        : html`<p><code>${tool}</code> can now act${user} at ${name}.</p>`
    return { status: 200, title: 'Done', body: html`${what}${BACK}` }
  }
  const why = reason === undefined ? undefined : html`<p>${sentence(reason)}</p>`
  const ended = kind === 'approval' ? 'The call was not approved' : 'Access was not given'
  const again = html`<p>If it is still wanted, have your agent ask again: it gets a new link.</p>`
  return { status: 410, title: ended, body: html`${why}${again}` }
}

/** The person refused, and that is in order. */
export function refusedPage({ kind, tool }: Pick<Authorization, 'kind' | 'tool'>): Page {
  const what = kind === 'approval' ? 'will not be called with these arguments' : 'gets nothing that it did not have'
  const said = html`<p><code>${tool}</code> ${what}.</p>`
  return { status: 200, title: 'Refused', body: html`${said}${BACK}` }
}

const STEP_PAGES = {
  'gone': { status: 410, title: 'This link no longer works' },
  'other-browser': { status: 403, title: 'This began in another browser' },
  'refused': { status: 400, title: 'Access was not given' },
  'unavailable': { status: 502, title: 'That did not work' },
} as const satisfies Record<Extract<Step, { ok: false }>['why'], { status: Page['status']; title: string }>

/** Why it goes no further. `retry` is where the person can begin anew. */
export function stoppedPage({ why, message }: Extract<Step, { ok: false }>, retry?: string): Page {
  const again = retry !== undefined && why !== 'gone' ? html`<p><a href="${retry}">Begin again</a></p>` : undefined
  const said = html`<p>${sentence(message)}</p>`
  return { ...STEP_PAGES[why], body: html`${said}${again}` }
}

/** A call that names no user has a challenge all the same; there is nobody to ask yet. */
export function nobodyPage(providerName: string): Page {
  const name = bounded(providerName, 100)
  return {
    status: 404,
    title: 'For whom is this?',
    body: html`<p>
        A tool wants to act for somebody at <strong>${name}</strong>, but the call did not say for which user it is.
        Nothing was shared.
      </p>
      <p>
        Whoever runs the agent has to name the user with the call: in <code>context.user_id</code>, or as the dialect
        has it. The call then answers with a link for that user.
      </p>`,
  }
}

/** An id that is no authorization and no provider. */
export function unknownPage(id: string): Page {
  return {
    status: 404,
    title: 'Nothing to authorize here',
    body: html`<p>
        Either this link is too old, or a tool wants to act for you at a provider that is not connected to this
        Switchboard: <code>${bounded(id, 128)}</code>. Nothing was shared.
      </p>
      <p>
        An old link is replaced when your agent asks again. For a provider that is not connected, whoever runs the agent
        can call the tool with a token of yours in <code>context.authorization</code>: it is used for that one call and
        never stored.
      </p>`,
  }
}
