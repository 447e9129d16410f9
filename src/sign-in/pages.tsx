import type { Page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { ProblemNotice } from '../http/page/rows.tsx'
import { truncate, toSentence } from '../http/page/text.ts'

export function keyPage(back: string | undefined, problem?: string, status: 200 | 403 = 200): Page {
  return {
    status,
    title: 'Sign in',
    body: [
      problem === undefined ? undefined : <ProblemNotice text={problem} />,
      <form method="post" action="/sign-in/key">
        {back === undefined ? undefined : <input type="hidden" name="return" value={back} />}
        <label>
          Your API key
          <input name="key" type="password" required maxlength={200} autocomplete="off" spellcheck={false} />
        </label>
        <button class="go">Sign in</button>
      </form>,
      <p class="note">
        Ask an administrator for a key. This browser stays signed in for 12 hours, or until you sign out or the key is
        revoked.
      </p>,
    ],
  }
}

export function signedInPage(name: string): Page {
  return {
    status: 200,
    title: 'You are signed in',
    body: [
      <p>
        Signed in as <strong>{truncate(name)}</strong>.
      </p>,
      <p>
        <a class="button" href="/">
          Go to the console
        </a>
      </p>,
      <form method="post" action="/sign-out">
        <button>Sign out</button>
      </form>,
    ],
  }
}

export function signedOutPage(): Page {
  const body = ['This browser no longer has access.', <SignInAgain words="Sign in again" />]
  return { status: 200, title: 'You are signed out', body }
}

export function refusedSignInPage(status: 400 | 403 | 502, message: string, back: string | undefined): Page {
  const again = <SignInAgain words="Use another account or try again" back={back} />
  return { status, title: 'You are not signed in', body: [toSentence(message), again] }
}

function SignInAgain({ words, back }: { readonly words: string; readonly back?: string | undefined }) {
  return (
    <p>
      <a class="button" href={signInPath(back, true)}>
        {words}
      </a>
    </p>
  )
}
