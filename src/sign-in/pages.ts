import { bounded, html, type Markup } from '../http/page/markup.ts'
import { type Page, sentence } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'

const MAX_NAME = 300

/** Asks for an API key, where no provider is set up. */
export function keyPage(back: string | undefined, problem?: string): Page {
  return {
    status: problem === undefined ? 200 : 403,
    title: 'Sign in',
    body: html`${problem === undefined ? undefined : html`<p class="care" role="alert">${sentence(problem)}</p>`}
      <form method="post" action="/sign-in/key">
        ${backField(back)}
        <label
          >Your API key
          <input name="key" type="password" required maxlength="200" autocomplete="off" spellcheck="false" />
        </label>
        <button class="go">Sign in</button>
      </form>
      <p class="note">
        An administrator gives keys out. This browser stays signed in for 12 hours, or until you sign out or the key is
        deleted.
      </p>`,
  }
}

export function signedInPage(name: string): Page {
  return {
    status: 200,
    title: 'You are signed in',
    body: html`<p>As <strong>${bounded(name, MAX_NAME)}</strong>.</p>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  }
}

export function signedOutPage(): Page {
  return {
    status: 200,
    title: 'You are signed out',
    body: html`<p>This browser has no access any more.</p>
      <p><a class="button" href="${signInPath(undefined, true)}">Sign in again</a></p>`,
  }
}

export function refusedSignInPage(status: 400 | 403 | 502, message: string, back: string | undefined): Page {
  return {
    status,
    title: 'You are not signed in',
    body: html`<p>${sentence(message)}</p>
      <p><a class="button" href="${signInPath(back, true)}">Sign in as somebody else, or try again</a></p>`,
  }
}

function backField(back: string | undefined): Markup | undefined {
  return back === undefined ? undefined : html`<input type="hidden" name="return" value="${back}" />`
}
